import type { LiveFleet } from "../fleet/Fleet.ts"

/** Returns the line that `rollcall up` prints when its nodes are Ready. `seconds`: of the machine's clock. */
export const readyLine = (fleet: Pick<LiveFleet, "size" | "unharmed">, seconds: number, url: string): string => {
  const [size, unharmed] = [fleet.size(), fleet.unharmed()]
  const after = `Ready after ${seconds.toFixed(1)} s`
  return size === unharmed
    ? `${size === 1 ? "1 node is" : `${size} nodes are`} ${after}: ${url}`
    : `${unharmed} of ${size} nodes ${unharmed === 1 ? "is" : "are"} ${after}, and faults are on the others (rollcall fault list): ${url}`
}
