import { join } from "node:path"

/** How a user gets Rollcall from npm, and what each command must print. */
export interface InstallPath {
  /** What a page tells the user to type. */
  readonly name: string
  readonly package: string
  readonly install: ReadonlyArray<string>
  /** Brings up a cluster whose nodes are Ready. */
  readonly ready: Command
  readonly rehearsal: Command | undefined
  /** Prints the one sentence where Node is too old; undefined for a library. */
  readonly program: ReadonlyArray<string> | undefined
}

export interface Command {
  readonly words: ReadonlyArray<string>
  /** Anything, if it is absent. */
  readonly prints?: RegExp
  /** It is asked to end once it has printed that. */
  readonly keepsRunning?: true
  readonly env?: Readonly<Record<string, string>>
}

const script = (text: string, prints: RegExp): Command => ({
  words: ["node", "--input-type=module", "--eval", text],
  prints
})

const up = ["up", "--nodes=2", "--port=0", "--exit-when-ready"]

const startCluster = (name: string): Command =>
  script(
    `import { startCluster } from "${name}"
     const cluster = await startCluster({ nodes: 2 })
     const { items } = await cluster.client.list("Node")
     console.log(items.filter((node) => node.status.conditions.some((it) => it.type === "Ready" && it.status === "True")).length)
     await cluster.stop()`,
    /^2$/m
  )

const outageInATest = script(
  `import { startCluster } from "@rollcall/testing"
   const cluster = await startCluster({ nodes: 2 })
   await cluster.partition({ nodes: { names: ["a-1"] } })
   await cluster.advance("6m")
   const node = await cluster.client.get("Node", { name: "a-1" })
   console.log(node.spec.taints.map(({ effect }) => effect).join(" "))
   await cluster.stop()`,
  /^NoSchedule NoExecute$/m
)

/** All paths. `root` is the workspace, for an example to rehearse. */
export const installPaths = (root: string): ReadonlyArray<InstallPath> => {
  const scenario = join(root, "examples/zone-outage.yaml")
  const commandLine = (
    install: ReadonlyArray<string>,
    name: string,
    ...program: ReadonlyArray<string>
  ): InstallPath => ({
    name: install.join(" "),
    package: name,
    install,
    ready: { words: [...program, ...up], prints: /2 nodes are Ready/ },
    rehearsal: { words: [...program, "simulate", scenario, "--quiet"], prints: /all 8 expectations held/ },
    program: [...program, "--version"]
  })
  return [
    commandLine(["npx", "-y", "@rollcall/cli", "--version"], "@rollcall/cli", "npx", "-y", "@rollcall/cli"),
    commandLine(["npm", "i", "-g", "@rollcall/cli"], "@rollcall/cli", "rollcall"),
    {
      name: "npm i @rollcall/server",
      package: "@rollcall/server",
      install: ["npm", "i", "@rollcall/server"],
      ready: {
        words: ["rollcalld"],
        prints: /"Nodes are Ready"/,
        keepsRunning: true,
        env: { ROLLCALLD_PORT: "0", ROLLCALLD_NODES: "2" }
      },
      rehearsal: undefined,
      program: ["rollcalld", "--help"]
    },
    {
      name: "npm i @rollcall/testing",
      package: "@rollcall/testing",
      install: ["npm", "i", "@rollcall/testing"],
      ready: startCluster("@rollcall/testing"),
      rehearsal: outageInATest,
      program: undefined
    },
    {
      name: "npm i rollcall",
      package: "rollcall",
      install: ["npm", "i", "rollcall"],
      ready: startCluster("rollcall"),
      rehearsal: script(
        `import { simulate } from "rollcall"
         const { failed, result } = await simulate("${scenario}")
         console.log(failed.length, result.summary.evictions.total)`,
        /^0 6$/m
      ),
      program: ["rollcall", "--version"]
    }
  ]
}
