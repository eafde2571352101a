import { spawnSync } from "node:child_process"

/**
 * Effect's own diagnostics for the package in the working directory.
 * The program exits 0 even if it checked no file, so its printed count is checked too.
 */
const run = spawnSync("effect-tsgo", ["diagnostics", "--project", "tsconfig.json", "--strict", "--format", "text"], {
  encoding: "utf8"
})
const output = `${run.stdout}${run.stderr}`
const checked = Number(/Checked (\d+) files/.exec(output)?.[1] ?? 0)
if (run.status !== 0 || checked === 0) {
  process.stderr.write(`${output}\neffect diagnostics: exit ${run.status}, ${checked} files checked\n`)
  process.exit(1)
}
