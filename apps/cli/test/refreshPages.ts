// Brings the outputs that pages show, and their pictures, up to date: node apps/cli/test/refreshPages.ts [FILE…]
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { pageRuns, readPage, root, runOf, withOutput } from "./pageRuns.ts"

const only = process.argv.slice(2)
for (const run of pageRuns()) {
  if (only.length > 0 && !only.some((text) => run.file.includes(text))) continue
  const { picture, table } = await runOf(run)
  for (const page of run.pages) writeFileSync(join(root, page), withOutput(readPage(page), run, table))
  if (run.picture !== undefined) writeFileSync(join(root, run.picture), picture)
}
