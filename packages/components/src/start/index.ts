export { endAtSecondSignal } from "./endAtSecondSignal.ts"

import { holdCompilers } from "./holdCompilers.ts"
import { opensStore } from "./opensStore.ts"
import { unsupportedNode } from "./supportedNode.ts"

/**
 * Starts a command-line program: refuses a release of Node that is too old with one sentence and exit code 1, enables Node's compile cache,
 * then loads the program. Everything else is loaded only then, because an old Node fails while it links modules that it does not know.
 */
export const startProgram = async (name: string, load: () => Promise<unknown>): Promise<void> => {
  const problem = unsupportedNode(name, process.versions.node)
  if (problem !== undefined) {
    process.stderr.write(`${problem}\n`)
    process.exitCode = 1
    return
  }
  const isServer = opensStore(process.argv.slice(2))
  if (isServer) holdCompilers()
  const { enableOwnCompileCache } = await import("./enableOwnCompileCache.ts")
  const folder = enableOwnCompileCache(process.env)
  // The thread of the SQLite store inherits the environment, and so uses the same compile cache.
  if (folder !== undefined) Object.assign(process.env, { NODE_COMPILE_CACHE: folder })
  if (isServer) {
    const { startThread } = await import("@rollcall/store-sqlite/thread")
    startThread()
  }
  await load()
}
