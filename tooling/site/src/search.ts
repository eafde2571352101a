import { cpSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import * as pagefind from "pagefind"

const failed = (errors: ReadonlyArray<string>): void => {
  if (errors.length > 0) throw new Error(`the search index: ${errors.join("; ")}`)
}

/** Pagefind's own user interfaces, which the site does not use. */
const INTERFACE = /^pagefind-(?:component-ui|modular-ui|ui|highlight)\./

const LICENSE = fileURLToPath(new URL("../LICENSE/LICENSE", import.meta.resolve("pagefind")))

/**
 * Writes the index of the full-text search over all pages of a built site: browsers load the parts of it that a search needs. Beside
 * it is Pagefind's program for browsers with its license.
 */
export const writeSearch = async (output: string): Promise<void> => {
  const { errors, index } = await pagefind.createIndex()
  failed(errors)
  if (index === undefined) throw new Error("the search index: pagefind made none")
  failed((await index.addDirectory({ path: output })).errors)
  const written = await index.getFiles()
  failed(written.errors)
  for (const { content, path } of written.files) {
    if (INTERFACE.test(path)) continue
    const file = join(output, "pagefind", path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
  cpSync(LICENSE, join(output, "pagefind/LICENSE"))
  await pagefind.close()
}
