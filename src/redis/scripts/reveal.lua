-- reveal: makes a hidden attempt visible now.
-- Atomic because a pop may move it at the same time.
--
-- KEYS[1]  state of the type (hash)
-- KEYS[2]  ready members (zset)
-- KEYS[3]  hidden members (zset)
-- ARGV[1]  offset of test time, ms
-- ARGV[2]  member
-- Reply    1 it is visible, 0 it does not wait in this queue
-- Cost     O(log n)
local stateKey = KEYS[1]
local ready = KEYS[2]
local hidden = KEYS[3]
local offsetMs = tonumber(ARGV[1])
local member = ARGV[2]

--@include lib/queue.lua

local score = call('ZSCORE', hidden, member)
if not score then return call('ZSCORE', ready, member) and 1 or 0 end
call('ZREM', hidden, member)
local state = readState(stateKey)
call('ZADD', ready, readyScore(state, tonumber(score) % perMs), member)
saveState(state)
return 1
