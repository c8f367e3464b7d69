-- read-many: one read command on many keys. A script because a call costs the server and the node
-- as much as several keys do: 256 sorted sets take one call of about 0.3 ms.
--
-- KEYS     keys of one kind (any); among hashes there may be strings (finished executions)
-- ARGV[1]  the command, one that only reads
-- ARGV[2]  how many bytes to read of a key that holds a string in place of a hash, -1 = all
-- ARGV[3..] the command's arguments after the key
-- Reply    list of the command's replies, in the order of the keys; of a string its first bytes
-- Cost     that of the command for each key; the caller bounds keys and arguments so that a call
--          stays below 5 ms
local command = ARGV[1]
local stringBytes = tonumber(ARGV[2])

local last = stringBytes < 0 and -1 or stringBytes - 1
local replies = {}
for i, key in ipairs(KEYS) do
  local reply = redis.pcall(command, key, unpack(ARGV, 3))
  if type(reply) == 'table' and reply.err then reply = redis.call('GETRANGE', key, 0, last) end
  replies[i] = reply
end
return replies
