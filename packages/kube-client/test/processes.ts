import type { Processes } from "../src/index.ts"

/** The processes of a machine, as the one with this number sees them. */
export const makeMachine = (...running: ReadonlyArray<number>) => {
  const alive = new Set(running)
  return {
    kill: (process: number) => void alive.delete(process),
    process: (id: number): Processes => ({
      self: { host: "laptop", process: id, started: `at ${id}` },
      isRunning: ({ host, process }) => host !== "laptop" || alive.has(process)
    })
  }
}
