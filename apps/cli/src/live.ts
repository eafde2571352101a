import { homedir, hostname, tmpdir } from "node:os"
import { type ComponentName, Host, runComponent } from "@rollcall/components"
import * as Effect from "effect/Effect"

/** This process, as components know it. */
const host = Host.of({
  environment: process.env,
  hostname: hostname(),
  homeFolder: homedir(),
  temporaryFolder: tmpdir(),
  processId: process.pid,
  print: (line) => process.stdout.write(`${line}\n`),
  log: (line) => process.stderr.write(`${line}\n`)
})

/** Runs a component of a live cluster with its own command line. */
export const live = (name: ComponentName, args: ReadonlyArray<string>) =>
  runComponent(name, args).pipe(Effect.provideService(Host, host))
