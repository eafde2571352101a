import type { LiveFleet } from "../fleet/Fleet.ts"

/**
 * Returns the line that `rollcall up` prints when its nodes are Ready. `seconds` is the time since the start, by the
 * machine's clock.
 */
export const readyLine = (
  fleet: Pick<LiveFleet, "size" | "nodesWithoutFault">,
  seconds: number,
  url: string
): string => {
  const [size, nodesWithoutFault] = [fleet.size(), fleet.nodesWithoutFault()]
  const after = `Ready after ${seconds.toFixed(1)} s`
  return size === nodesWithoutFault
    ? `${size === 1 ? "1 node is" : `${size} nodes are`} ${after}: ${url}`
    : `${nodesWithoutFault} of ${size} nodes ${nodesWithoutFault === 1 ? "is" : "are"} ${after}, and faults are on the others (rollcall fault list): ${url}`
}
