import { fileURLToPath } from "node:url"

/** The vitest configuration for mutants: like the workspace's, with modules loaded once for all files. */
export default {
  test: { isolate: false, setupFiles: [fileURLToPath(new URL("./endOnFailure.ts", import.meta.url))] }
}
