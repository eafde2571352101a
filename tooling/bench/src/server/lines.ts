import { setTimeout as sleep } from "node:timers/promises"
import { loadAverage, residentMiB } from "../load/processFigures.ts"
import type { LoadResult } from "../load/runLoad.ts"
import type { Running } from "./programs.ts"

/** Of renewals, each in turn. */
export const CONNECTIONS = [1, 32, 256] as const

export const say = (text: string): void => {
  process.stdout.write(`${text}\n`)
}
export const figure = (value: number): string => Math.round(value).toLocaleString("en-US")

/** The figures of one load. */
export const line = (what: string, { cpuMicros, p50Ms, p99Ms, perSecond, refused }: LoadResult): void =>
  say(
    `  ${what.padEnd(34)} ${figure(perSecond).padStart(7)} /s  p50 ${p50Ms.toFixed(2).padStart(6)} ms  ` +
      `p99 ${p99Ms.toFixed(1).padStart(6)} ms  CPU ${figure(cpuMicros).padStart(4)} µs each` +
      `${refused === 0 ? "" : `  refused ${refused}`}  load average ${loadAverage().toFixed(1)}`
  )

/** Prints the ratio of our figures to the floor's. */
export const ratio = (ours: LoadResult, floor: LoadResult): void =>
  say(
    `  ${"ratio to the floor".padEnd(34)} rate ${(ours.perSecond / floor.perSecond).toFixed(2)}, ` +
      `CPU ${(ours.cpuMicros / floor.cpuMicros).toFixed(2)}`
  )

const QUIET_MS = 5000

/** Prints the resident memory, after the time in which the process returns unused memory. */
export const memory = async (what: string, { processId }: Running): Promise<void> => {
  await sleep(QUIET_MS)
  say(`  ${`resident, ${what}`.padEnd(34)} ${figure(residentMiB(processId)).padStart(7)} MiB`)
}
