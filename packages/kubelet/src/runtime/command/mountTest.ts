import type { RunContext } from "./RunContext.ts"
import { type FileStat, INTERRUPTED, newFileOf, type Run, type RunStep, type ShellFiles } from "./ShellWorld.ts"

/** Upstream: test/images/agnhost/mounttest/mt.go, initialContent. */
const CONTENT = "mount-tester new file\n"
const MISSING = "no such file or directory"
const RETRY_MS = 2_000
/** The magic numbers that statfs returns; that of a tmpfs is shown by its name. */
const magic = { tmpfs: "tmpfs", ext4: "61267", overlay: "2035054128" }

const letters = "rwxrwxrwx"

/** Returns permissions as Go shows them. Upstream: io/fs, FileMode.String. */
const modeText = ({ isFolder, mode }: FileStat, isWhole: boolean): string => {
  const kinds = `${isFolder ? "d" : ""}${(mode & 0o2000) === 0 ? "" : "g"}${(mode & 0o1000) === 0 ? "" : "t"}`
  const permissions = [...letters].map((letter, at) => ((mode & (0o400 >> at)) === 0 ? "-" : letter)).join("")
  return (isWhole && kinds !== "" ? kinds : "-") + permissions
}

const quoted = (path: string): string => JSON.stringify(path)

type Step = readonly [text: string, isGood: boolean]

const readStep = (files: ShellFiles, path: string): Step => {
  const text = files.read(path)
  return text === undefined
    ? [`error reading file content for ${quoted(path)}: open ${path}: ${MISSING}`, false]
    : [`content of file ${quoted(path)}: ${text}`, true]
}

type Show = (path: string, stat: FileStat) => string

/** What is shown of a path, by flag, in the order of upstream; new files are written after the first. */
const shown: ReadonlyArray<readonly [flag: string, call: string, show: Show]> = [
  ["file_mode", "Stat", (path, stat) => `mode of file ${quoted(path)}: ${modeText(stat, true)}`],
  ["file_perm", "Stat", (path, stat) => `perms of file ${quoted(path)}: ${modeText(stat, false)}`],
  [
    "file_owner",
    "stat",
    (path, { group, user }) => `owner UID of ${quoted(path)}: ${user}\nowner GID of ${quoted(path)}: ${group}`
  ]
]

const statStep = (files: ShellFiles, path: string, call: string, show: Show): Step => {
  const stat = files.stat(path)
  const error = call === "Stat" ? `stat ${path}: ${MISSING}` : MISSING
  return stat === undefined ? [`error from ${call}(${quoted(path)}): ${error}`, false] : [show(path, stat), true]
}

/** Returns all steps but that of the loop. */
const stepsOf = function* (
  flags: ReadonlyMap<string, string>,
  { files, write }: { readonly files: ShellFiles; readonly write: (path: string, mode: number) => string | undefined }
): Generator<Step> {
  const fileSystem: Show = (path, stat) => `mount type of ${quoted(path)}: ${magic[stat.fileSystem]}`
  const ofType = flags.get("fs_type")
  if (ofType !== undefined) yield statStep(files, ofType, "statfs", fileSystem)
  for (const mode of ["0644", "0666", "0660", "0777"]) {
    const path = flags.get(`new_file_${mode}`)
    if (path === undefined) continue
    const problem = write(path, Number.parseInt(mode, 8))
    if (problem === undefined) yield readStep(files, path)
    else yield [`error writing new file ${quoted(path)}: open ${path}: ${problem.toLowerCase()}`, false]
  }
  for (const [flag, call, show] of shown) {
    const path = flags.get(flag)
    if (path !== undefined) yield statStep(files, path, call, show)
  }
  const content = flags.get("file_content")
  if (content !== undefined) yield readStep(files, content)
}

const output = (text: string): RunStep => ({ kind: "output", stream: 1, text: `${text}\n` })

/** Reads a file again and again. Returns whether the last read was good. */
const readInLoop = function* (
  path: string,
  flags: ReadonlyMap<string, string>,
  files: ShellFiles,
  { clock }: RunContext
): Run<boolean> {
  const untilMs = clock.elapsedMs + Number(flags.get("retry_time") ?? 180) * 1000
  const breaks = flags.get("break_on_expected_content") !== "false"
  let isGood = true
  while (clock.elapsedMs < untilMs) {
    const text = files.read(path)
    isGood = text !== undefined
    yield output(
      isGood
        ? `content of file ${quoted(path)}: ${text}`
        : `Error reading file ${path}: open ${path}: ${MISSING}, retrying`
    )
    if (breaks && text === CONTENT) break
    if (breaks && isGood) yield output(`Unexpected content. Expected: ${CONTENT}. Retrying`)
    yield { kind: "wait", ms: RETRY_MS }
    if (clock.isInterrupted === true) return false
    clock.elapsedMs += RETRY_MS
  }
  return isGood
}

/** Runs the program that looks at volumes. Upstream: test/images/agnhost/mounttest. */
export const mountTest = function* (flags: ReadonlyMap<string, string>, context: RunContext): Run<number | undefined> {
  const { clock } = context
  const world = context.needWorld()
  if (world === undefined) return undefined
  const { files } = world
  const write = (path: string, mode: number) => files.write(path, CONTENT, false, newFileOf(world, mode))
  let isGood = true
  for (const [text, isStepGood] of stepsOf(flags, { files, write })) {
    yield output(text)
    isGood &&= isStepGood
  }
  const looped = flags.get("file_content_in_loop")
  if (looped !== undefined && !(yield* readInLoop(looped, flags, files, context))) isGood = false
  if (clock.isInterrupted === true) return INTERRUPTED
  return isGood ? 0 : 1
}
