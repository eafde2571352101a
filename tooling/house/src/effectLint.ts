import { spawnSync } from "node:child_process"

// Runs Effect's diagnostics on the package in the working directory. effect-tsgo exits 0 even if it checked no file, so the number of files
// that it prints is checked too.
const run = spawnSync("effect-tsgo", ["diagnostics", "--project", "tsconfig.json", "--strict", "--format", "text"], {
  encoding: "utf8"
})
const output = `${run.stdout}${run.stderr}`
const checked = Number(/Checked (\d+) files/.exec(output)?.[1] ?? 0)
if (run.status !== 0 || checked === 0) {
  process.stderr.write(`${output}\neffect diagnostics: exit ${run.status}, ${checked} files checked\n`)
  process.exit(1)
}
