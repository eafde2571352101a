import { fileURLToPath } from "node:url"

/** How vitest runs the tests of a mutant: as the workspace does, with what they need loaded once for all files. */
export default {
  test: { isolate: false, setupFiles: [fileURLToPath(new URL("./endOnFailure.ts", import.meta.url))] }
}
