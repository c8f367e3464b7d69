-- watch: asks the commits of a partition to note which executions they change, or to go on doing
-- so. Atomic because the mark's token tells whether commits have been noted without a gap: it must
-- not be kept when a commit takes the mark away at the same time.
--
-- KEYS[1]  state of the partition (hash)
-- ARGV[1]  field of the mark
-- ARGV[2]  offset of test time, ms
-- ARGV[3]  how long commits note from now on, ms
-- ARGV[4]  token for a mark that was not there
-- Reply    the token of the mark. The same one as before: since then each commit was noted
-- Cost     O(1)
local state = KEYS[1]
local field = ARGV[1]
local offsetMs = tonumber(ARGV[2])
local lifeMs = tonumber(ARGV[3])
local newToken = ARGV[4]

local mark = redis.call('HGET', state, field)
local token = mark and string.match(mark, ' (.*)$') or newToken
local time = redis.call('TIME')
local endsAt = time[1] * 1000 + math.floor(time[2] / 1000) + offsetMs + lifeMs
redis.call('HSET', state, field, string.format('%.0f %s', endsAt, token))
return token
