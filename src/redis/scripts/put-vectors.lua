-- put-vectors: stores pieces of a document with their vectors and removes what an earlier version of
-- the document had beyond them. Atomic because the number of vectors and their dimensions are checked
-- against what is stored, and a search must not meet a vector without its text.
--
-- KEYS[1]  vectors (hash: piece to its vector)
-- KEYS[2]  texts (hash: piece to its record)
-- KEYS[3]  facts (hash: 'dimensions' of the vectors, '=' and a document to its number of pieces)
-- KEYS[4]  spaces of the store (set)
-- ARGV[1]  name of the space
-- ARGV[2]  document
-- ARGV[3]  dimensions
-- ARGV[4]  vectors that the space may hold
-- ARGV[5]  pieces of the document in all
-- ARGV[6]  number of the first piece, from 0
-- ARGV     from 7 on two per piece: vector, record
-- Reply    {'stored'}, {'full', vectors stored} or {'dimensions', those of the space}
-- Cost     O(pieces); the caller sends at most 100
local vectors = KEYS[1]
local texts = KEYS[2]
local facts = KEYS[3]
local spaces = KEYS[4]
local space = ARGV[1]
local document = ARGV[2]
local dimensions = ARGV[3]
local vectorsMax = tonumber(ARGV[4])
local total = tonumber(ARGV[5])
local first = tonumber(ARGV[6])

local call = redis.call
local arguments = ARGV
local firstArgument = 7
local count = (#arguments - firstArgument + 1) / 2
local function pieceOf(number) return number .. ':' .. document end

local known = call('HGET', facts, 'dimensions')
local stored = call('HLEN', vectors)
if known and known ~= dimensions and stored > 0 then return { 'dimensions', tonumber(known) } end

local before = tonumber(call('HGET', facts, '=' .. document) or '0')
local added = math.max(total - before, 0)
if stored + added > vectorsMax and first >= before then return { 'full', stored } end

for piece = total, before - 1 do
  call('HDEL', vectors, pieceOf(piece))
  call('HDEL', texts, pieceOf(piece))
end
for offset = 0, count - 1 do
  local piece = pieceOf(first + offset)
  call('HSET', vectors, piece, arguments[firstArgument + 2 * offset])
  call('HSET', texts, piece, arguments[firstArgument + 2 * offset + 1])
end
call('HSET', facts, 'dimensions', dimensions, '=' .. document, math.max(math.min(before, total), first + count))
call('SADD', spaces, space)
return { 'stored' }
