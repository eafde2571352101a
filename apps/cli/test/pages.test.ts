import { existsSync, globSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { run } from "./cli.ts"
import { commandsOf, inlineCommandsOf, savedFilesOf } from "./pageCommands.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))
const read = (file: string) => readFileSync(join(root, file), "utf8")

/** In reading order: a page may use files that an earlier page creates. */
const pages = [
  "README.md",
  "docs/how-to/live-cluster.md",
  ...globSync("**/*.md", { cwd: join(root, "docs") })
    .filter((file) => file !== "how-to/live-cluster.md" && !file.startsWith("decisions/"))
    .sort()
    .map((file) => `docs/${file}`),
  ...["apps", "packages", "tooling"].flatMap((group) =>
    readdirSync(join(root, group))
      .map((name) => `${group}/${name}/README.md`)
      .filter((file) => existsSync(join(root, file)))
  ),
  "CONTRIBUTING.md"
]

/** Commands that a machine with Node and npm has, and those that README adds to the path. */
const availablePrograms: ReadonlySet<string> = new Set([
  "rollcall",
  "rollcalld",
  "npm",
  "npx",
  "pnpm",
  "node",
  "export",
  "alias",
  "cd"
])

/** Whether a word is a placeholder. */
const isPlaceholder = (word: string): boolean => word.includes("…") || /^\[?[A-Z]+\]?$/.test(word)

const helpOfCommand = async (words: ReadonlyArray<string>): Promise<string> => {
  const { code, stderr, stdout } = await run(...words, "--help")
  return code === 0 ? stdout + stderr : ""
}

const helpTexts = new Map<string, Promise<string>>()

/** Returns the help of a command: the longest prefix of words that is one. */
const helpOfLongestPrefix = (words: ReadonlyArray<string>): Promise<string> => {
  const [program = "", ...rest] = words
  const hasVerbs = ["plan", "compare", "store"].includes(rest[0] ?? "")
  if (program === "rollcalld") return Promise.resolve("rollcalld [--config FILE] [--help]")
  const verb = rest.slice(0, hasVerbs ? 2 : 1)
  const key = verb.join(" ")
  const known = helpTexts.get(key)
  if (known !== undefined) return known
  const help = helpOfCommand(verb)
  helpTexts.set(key, help)
  return help
}

const flagsOf = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words
    .filter((word) => /^--?[a-z]/.test(word))
    .map((word) => word.replace(/=.*/s, ""))
    .filter((flag) => flag !== "--help")

const commandProblems = async (words: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const said = words.join(" ")
  if (words[0] === "rollcall" && words[1]?.startsWith("-") === true) return []
  const help = await helpOfLongestPrefix(words)
  if (help === "") return [`${said}: there is no such command`]
  return flagsOf(words)
    .filter((flag) => !new RegExp(`(?<![\\w-])${flag}(?![\\w-])`).test(help))
    .map((flag) => `${said}: its help has no ${flag}`)
}

const WRITES = ["--out", "--kubeconfig-out", "--data-dir", "--root-dir"]

/** Returns the files that a command reads and creates. */
const filesOf = (words: ReadonlyArray<string>): { reads: ReadonlyArray<string>; makes: ReadonlyArray<string> } => {
  const isFile = (word: string) => !/^-|=/.test(word) && /\.(yaml|json|conf|html)$|^\.\//.test(word)
  // A kubelet that joins writes its kubeconfig.
  const writes = words.includes("--bootstrap-kubeconfig") ? [...WRITES, "--kubeconfig"] : WRITES
  const at = words.map((word, index) => [word, words[index - 1] ?? ""] as const).filter(([word]) => isFile(word))
  return {
    reads: at.filter(([, flag]) => !writes.includes(flag)).map(([word]) => word),
    makes: at.filter(([, flag]) => writes.includes(flag)).map(([word]) => word)
  }
}

const scripts: Readonly<Record<string, string>> = JSON.parse(read("package.json")).scripts

const scriptProblems = ([program, ...words]: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [name = ""] = words[0] === "--filter" ? words.slice(2) : words[0] === "run" ? words.slice(1) : words
  return (program === "pnpm" || program === "npm") && !(name in scripts)
    ? [`${program} ${name}: no script has that name`]
    : []
}

describe("the commands of the pages", () => {
  it("are found", () => {
    assert.isAtLeast(pages.flatMap((file) => commandsOf(read(file))).length, 60)
    assert.deepStrictEqual(
      commandsOf("# A\n\n```sh\na b \\\n  --c 'd e'   # f\ng || h -i >j.json\n```\n").map(
        ({ line, redirects, words }) => [line, words, redirects]
      ),
      [
        [4, ["a", "b", "--c", "d e"], []],
        [6, ["g"], []],
        [6, ["h", "-i"], ["j.json"]]
      ]
    )
  })

  it("need only Node and npm, unless the page names more", () => {
    const missing = pages.flatMap((file) =>
      commandsOf(read(file))
        .filter(
          ({ prose, words: [program = ""] }) =>
            !availablePrograms.has(program) && !new RegExp(`\\b${program}\\b`).test(prose)
        )
        .map(({ line, words }) => `${file}:${line}: ${words.join(" ")}`)
    )
    assert.deepStrictEqual(missing, [])
  })

  it("exist, with their flags", async () => {
    const problems: Array<string> = []
    for (const file of pages) {
      const page = read(file)
      const shown = commandsOf(page).map(({ words }) => words)
      for (const words of [...shown, ...inlineCommandsOf(page)]) {
        const isRollcall = words[0] === "rollcall" || words[0] === "rollcalld"
        const found = isRollcall ? await commandProblems(words) : scriptProblems(words)
        problems.push(...found.map((problem) => `${file}: ${problem}`))
      }
    }
    assert.deepStrictEqual(problems, [])
  }, 60_000)

  it("read files that exist, or that an earlier command creates", () => {
    const made = new Set<string>()
    const isMade = (name: string) => [...made].some((known) => name === known || name.startsWith(`${known}/`))
    const missing = pages.flatMap((file) => {
      const page = read(file)
      for (const name of savedFilesOf(page)) made.add(name)
      return commandsOf(page).flatMap(({ line, redirects, words }) => {
        const { makes, reads } = filesOf(words)
        const lacking = reads.filter(
          (name) => !isPlaceholder(name) && !isMade(name) && globSync(join(root, name)).length === 0
        )
        for (const name of [...makes, ...redirects]) made.add(name)
        return lacking.map((name) => `${file}:${line}: ${name}`)
      })
    })
    assert.deepStrictEqual(missing, [])
  })
})
