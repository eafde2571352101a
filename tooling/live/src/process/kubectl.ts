import { execFileSync } from "node:child_process"
import * as Effect from "effect/Effect"
import { run, startProgram } from "./Program.ts"

const installedVersion = (): string | undefined => {
  try {
    return execFileSync("kubectl", ["version", "--client"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })
      .split("\n")[0]
      ?.replace("Client Version: ", "")
  } catch {
    return undefined
  }
}

/** The version of the installed kubectl, or undefined if it is not installed. */
export const kubectlVersion: string | undefined = installedVersion()

/** Returns functions that run the installed kubectl with a kubeconfig. */
export const kubectlFor = (kubeconfig: string) => ({
  /** Runs it to its end. */
  run: (...args: ReadonlyArray<string>) => run("kubectl", "--kubeconfig", kubeconfig, ...args),
  /** Runs it and returns its output; dies if it fails. */
  out: (...args: ReadonlyArray<string>) =>
    run("kubectl", "--kubeconfig", kubeconfig, ...args).pipe(
      Effect.flatMap(({ code, stderr, stdout }) =>
        code === 0
          ? Effect.succeed(stdout)
          : Effect.die(new Error(`kubectl ${args.join(" ")}: ${code}\n${stderr}${stdout}`))
      )
    ),
  /** Starts it in the background. */
  start: (...args: ReadonlyArray<string>) => startProgram("kubectl", ["--kubeconfig", kubeconfig, ...args])
})

export type Kubectl = ReturnType<typeof kubectlFor>
