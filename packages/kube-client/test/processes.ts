import type { Processes } from "../src/index.ts"

/** Makes a machine with these process IDs; `process(id)` is the view of one of them. */
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
