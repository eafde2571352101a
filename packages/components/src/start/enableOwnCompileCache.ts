import { constants, enableCompileCache } from "node:module"
import { homeFolderOfUser } from "../host/homeFolder.ts"
import { compileCacheFolder } from "./compileCacheFolder.ts"

/**
 * Enables Node's compile cache in a folder that only this user can write to: from the second start on, the program is ready in half the time.
 * Without such a folder there is no cache. NODE_COMPILE_CACHE and NODE_DISABLE_COMPILE_CACHE of the user are obeyed by Node
 * itself, before any code of a program runs.
 *
 * @returns the folder to pass to threads as NODE_COMPILE_CACHE in their environment; undefined: none.
 */
export const enableOwnCompileCache = (
  environment: Readonly<Record<string, string | undefined>>
): string | undefined => {
  if (environment.NODE_COMPILE_CACHE !== undefined) return undefined
  const owner = { environment, homeFolder: homeFolderOfUser(), userId: process.geteuid?.() }
  const folder = compileCacheFolder(owner)
  if (folder === undefined) return undefined
  const { directory, status } = enableCompileCache(folder)
  return status === constants.compileCacheStatus.ENABLED ? directory : undefined
}
