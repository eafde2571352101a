import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** The root of the repository. */
export const root = fileURLToPath(new URL("../../..", import.meta.url))

/** A built site: its folder, its pages by their paths, and what the build printed. */
export interface BuiltSite {
  readonly folder: string
  readonly pages: ReadonlyMap<string, string>
  readonly printed: string
  readonly remove: () => void
}

/** Builds the site into a temporary folder, as `npm run site` does. */
export const buildSite = async (): Promise<BuiltSite> => {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-site-"))
  const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))
  const builder = spawn(process.execPath, [main, "--out", folder], { cwd: tmpdir(), stdio: ["ignore", "pipe", "pipe"] })
  let printed = ""
  for (const stream of [builder.stdout, builder.stderr]) stream.on("data", (part) => (printed += String(part)))
  const [code] = await once(builder, "close")
  if (code !== 0) throw new Error(`the build of the site ends with ${code}:\n${printed}`)
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".html"))
  const pages = new Map(files.map((file) => [file, readFileSync(join(folder, file), "utf8")]))
  return { folder, pages, printed, remove: () => rmSync(folder, { recursive: true }) }
}
