import { alwaysLimiter, done, RateLimitedQueue, TokenBucket } from "@rollcall/eviction/rules"
import Bottleneck from "bottleneck"
import { RateLimiter } from "limiter"
import { measure, report } from "./measure.ts"

const OPERATIONS = 200_000
const BOTTLENECK_OPERATIONS = 2_000
const NAMES = 1_000

const takeTokens = (): number => {
  const bucket = new TokenBucket(1_000_000, OPERATIONS)
  let taken = 0
  for (let index = 0; index < OPERATIONS; index++) if (bucket.tryTake(performance.now())) taken++
  return taken
}

const takeTokensWithLimiter = (): number => {
  const limiter = new RateLimiter({ tokensPerInterval: 1_000_000, interval: "second", fireImmediately: true })
  let taken = 0
  for (let index = 0; index < OPERATIONS; index++) if (limiter.tryRemoveTokens(1)) taken++
  return taken
}

/** Add, hand out and forget each name, as a zone does with its dead nodes. */
const passThroughQueue = (): number => {
  const queue = new RateLimitedQueue(alwaysLimiter)
  const names = Array.from({ length: NAMES }, (_, index) => `node-${index}`)
  let handed = 0
  for (let round = 0; round < BOTTLENECK_OPERATIONS / NAMES; round++) {
    for (const name of names) queue.add(name, round)
    queue.try(round + 0.5, () => {
      handed++
      return done
    })
    for (const name of names) queue.remove(name)
  }
  return handed
}

const BATCH = 100

/** In batches, as Bottleneck slows down with the length of its queue. */
const passThroughBottleneck = async (): Promise<void> => {
  const limiter = new Bottleneck({ maxConcurrent: 8 })
  for (let index = 0; index < BOTTLENECK_OPERATIONS; index += BATCH) {
    await Promise.all(Array.from({ length: BATCH }, (_, offset) => limiter.schedule(async () => index + offset)))
  }
}

/** The eviction core against the packages that people would otherwise take. */
export const benchEviction = async (): Promise<void> => {
  report("Taking a token", [
    await measure("@rollcall/eviction TokenBucket.tryTake", OPERATIONS, takeTokens),
    await measure("limiter RateLimiter.tryRemoveTokens", OPERATIONS, takeTokensWithLimiter)
  ])
  report("Queueing, handing out and forgetting a name", [
    await measure("@rollcall/eviction RateLimitedQueue", BOTTLENECK_OPERATIONS, passThroughQueue),
    await measure("bottleneck schedule", BOTTLENECK_OPERATIONS, passThroughBottleneck)
  ])
}
