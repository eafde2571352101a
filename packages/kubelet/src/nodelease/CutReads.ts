import type { Lease } from "@rollcall/api"
import type { Answer, Connection, CutStay } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import { leaseRead } from "./LeaseRenewal.ts"
import { hasFailedRead, type LeaseSync, type LeaseWait, leaseTimedOut } from "./LeaseSync.ts"

/** Takes the reads back: the sync waits for `wait`. `send` sends the read that it waits for, if it does not sleep. */
export type TakeBack = (wait: LeaseWait<Lease>, send: (reply: (answer: Answer) => void) => void) => void

/**
 * Hands a sync's reads of the lease over to a link that is cut, from one that is to be sent now and was tried before. An
 * hour without a link is 200 reads and as many sleeps, of which no one sees any: `takeBack` computes where they are.
 * Returns undefined if a read may be answered.
 */
export const enterCutReads = (
  { heartbeats }: Connection,
  timers: TimersShape,
  name: string,
  state: LeaseSync<Lease>,
  takeBack: TakeBack
): CutStay | undefined => {
  if (!hasFailedRead(state)) return undefined
  const startMs = timers.now()
  const cut = heartbeats?.enterCut?.(() => {
    if (cut === undefined) return
    const wait = leaseTimedOut(state, startMs, cut.timeoutMs, timers.now())
    takeBack(wait, (reply) => cut.sendFrom(wait.sentAtMs, leaseRead(name), reply))
  })
  return cut
}
