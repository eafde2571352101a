import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join, resolve } from "node:path"
import type { Command, InstallPath } from "./paths.ts"

export interface Surroundings {
  /** The folder of the Node to install for and to run on. */
  readonly node: string
  /** The URL of the registry. */
  readonly registry: string
  /** A cache of npm, in its own folder by default. */
  readonly cache?: string
}

export interface Tried {
  readonly installSeconds: number
  readonly megabytes: number
  readonly readySeconds: number
  readonly rehearsalSeconds: number | undefined
}

/** What an empty folder of a user has: nothing installed, nothing cached. */
interface Place {
  readonly folder: string
  readonly cache: string
  readonly env: NodeJS.ProcessEnv
}

const inEmptyFolder = async <A>(
  { cache, node, registry }: Surroundings,
  use: (place: Place) => Promise<A>
): Promise<A> => {
  const folder = mkdtempSync(join(tmpdir(), "install-"))
  const { env: own } = process
  // Programs of the workspace must not stand in for those that were not installed.
  const outside = (own.PATH ?? "").split(delimiter).filter((bin) => !bin.includes("node_modules"))
  const bins = [node, join(folder, "global/bin"), join(folder, "node_modules/.bin"), ...outside]
  const ownCache = cache ?? join(folder, "cache")
  const env = {
    // Proxies and certificates of this machine.
    ...own,
    PATH: bins.join(delimiter),
    HOME: folder,
    npm_config_registry: registry,
    npm_config_cache: ownCache,
    npm_config_prefix: join(folder, "global"),
    npm_config_audit: "false",
    npm_config_fund: "false",
    npm_config_update_notifier: "false"
  }
  try {
    return await use({ folder, cache: ownCache, env })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Ended {
  readonly code: number | null
  readonly output: string
  /** When it had printed what it should; undefined: it did not. */
  readonly seconds: number | undefined
}

const run = async ({ env, folder }: Place, { prints = /^/, words, ...command }: Command): Promise<Ended> => {
  const [program = "", ...args] = words
  const start = performance.now()
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...env, ...command.env },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let output = ""
  let seconds: number | undefined
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      output += chunk
      if (seconds !== undefined || !prints.test(output)) return
      seconds = (performance.now() - start) / 1000
      if (command.keepsRunning === true) child.kill("SIGTERM")
    })
  await once(child, "close")
  return { code: child.exitCode, output, seconds }
}

const sizeOf = (folder: string): number =>
  (existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : [])
    .filter((entry) => entry.isFile())
    .reduce((sum, { name, parentPath }) => sum + lstatSync(join(parentPath, name)).size, 0)

const mustRun = async (place: Place, command: Command): Promise<number> => {
  const { code, output, seconds } = await run(place, command)
  if (seconds !== undefined && code === 0) return seconds
  throw new Error(`${command.words.join(" ")} ended with ${code}, and printed:\n${output}`)
}

/** Installs by a path in an empty folder, and brings up a cluster and rehearses with what is installed. Throws with what a command printed. */
export const tryPath = (path: InstallPath, surroundings: Surroundings): Promise<Tried> =>
  inEmptyFolder(surroundings, async (place) => {
    const start = performance.now()
    await mustRun(place, { words: path.install })
    const installSeconds = (performance.now() - start) / 1000
    const installed = path.install[0] === "npx" ? [join(place.cache, "_npx")] : ["global", "node_modules"]
    const bytes = installed.reduce((sum, name) => sum + sizeOf(resolve(place.folder, name)), 0)
    return {
      installSeconds,
      megabytes: bytes / 1e6,
      readySeconds: await mustRun(place, path.ready),
      rehearsalSeconds: path.rehearsal && (await mustRun(place, path.rehearsal))
    }
  })

/** Installs a program for a Node that is too old for it. Returns its exit code and what it printed, npm's own warnings left out. */
export const tryOldNode = (
  { install, program = [] }: InstallPath,
  surroundings: Surroundings
): Promise<Pick<Ended, "code" | "output">> =>
  inEmptyFolder(surroundings, async (place) => {
    await run(place, { words: install })
    const { code, output } = await run(place, { words: program })
    return { code, output: output.replace(/^npm .*\n/gm, "") }
  })
