import type { RunContext } from "./RunContext.ts"
import { newFileOf } from "./ShellWorld.ts"

/** Writes a file of the container, if it is known. Returns what is wrong if it cannot. */
export const writeIn = (context: RunContext, path: string, text: string, atEnd: boolean): string | undefined => {
  const world = context.needWorld()
  return world?.files.write(path, text, atEnd, newFileOf(world))
}
