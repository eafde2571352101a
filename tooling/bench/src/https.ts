import { Renewals } from "./load/renewals.ts"
import { runLoad } from "./load/runLoad.ts"
import { CONNECTIONS, line, say } from "./server/lines.ts"
import { newFolder, removeFolder, startFloor } from "./server/programs.ts"

const LEASES = 5000
const SECONDS = 5

/** What a bare HTTPS server over group-committed SQLite does with Lease renewals on this machine. */
export const benchHttps = async (): Promise<void> => {
  const folder = await newFolder()
  const floor = await startFloor(folder)
  try {
    say("\nDurable Lease PUTs over HTTPS: the floor (node:https, group-committed SQLite)")
    for (const connections of CONNECTIONS) {
      const next = new Renewals(LEASES).inTurn(connections, SECONDS)
      line(`${connections} connections`, await runLoad({ ...floor, connections, next }))
    }
  } finally {
    await floor.stop()
    removeFolder(folder)
  }
}
