import { type ComponentName, programs } from "@rollcall/components/programs"
import { type Command, type CommandNode, flag, optional, shells } from "@rollcall/flags"
import { verbs } from "@rollcall/kubectl/verbs"
import * as Effect from "effect/Effect"
import { command, type Run } from "./commands/command.ts"
import { compareReleasesTable, compareSettingsTable } from "./commands/compare/tables.ts"
import {
  planDrainTable,
  planEvictionsTable,
  planScaleTable,
  planShutdownTable,
  planSwapTable
} from "./commands/plan/tables.ts"
import { reportTable } from "./commands/report/table.ts"
import { simulateTable } from "./commands/simulate/table.ts"
import { snapshotTable } from "./commands/snapshot/table.ts"
import { storeTables } from "./commands/store/table.ts"

// A command is imported only when it runs, so that a rehearsal loads no HTTP server, and a server no rehearsal.

const REHEARSE = "Rehearse and plan"
const LIVE = "Run a cluster"
const KUBECTL = "Work with a cluster, like kubectl"
const OTHER = "Additional Commands"

const simulate = command(
  { name: "simulate", heading: REHEARSE, summary: "Rehearse scenarios in virtual time." },
  simulateTable,
  () => import("./commands/simulate/run.ts").then(({ runSimulate }) => runSimulate)
)

const report = command(
  { name: "report", heading: REHEARSE, summary: "Print a report of saved results." },
  reportTable,
  () => import("./commands/report/run.ts").then(({ runReport }) => runReport)
)

const compare: CommandNode<Run> = {
  name: "compare",
  heading: REHEARSE,
  summary: "Compare releases, or values of a setting.",
  commands: [
    command({ name: "releases", summary: "Compare the emulated Kubernetes releases." }, compareReleasesTable, () =>
      import("./commands/compare/releases.ts").then(({ runReleases }) => runReleases)
    ),
    command({ name: "settings", summary: "Compare the values of a setting." }, compareSettingsTable, () =>
      import("./commands/compare/settings.ts").then(({ runSettings }) => runSettings)
    )
  ]
}

const drain = command({ name: "drain", summary: "Print what kubectl drain will do to nodes." }, planDrainTable, () =>
  import("./commands/plan/drainRun.ts").then(
    ({ runPlanDrain }) =>
      ({ operands: names, values }) =>
        runPlanDrain({
          ...values,
          names,
          snapshotFiles: values.snapshot,
          podSelector: values["pod-selector"],
          ignoreDaemonsets: values["ignore-daemonsets"],
          deleteEmptydirData: values["delete-emptydir-data"],
          disableEviction: values["disable-eviction"],
          gracePeriod: values["grace-period"],
          skipWait: values["skip-wait-for-delete-timeout"]
        })
  )
)

const evictions = command(
  { name: "evictions", summary: "Print which pods will be evicted because of their node, when, and why not yet." },
  planEvictionsTable,
  () =>
    import("./commands/plan/evictionsRun.ts").then(
      ({ runPlanEvictions }) =>
        ({ operands: names, values }) =>
          runPlanEvictions({
            ...values,
            names,
            snapshotFiles: values.snapshot,
            asOf: values["as-of"],
            nodeMonitorPeriod: values["node-monitor-period"],
            nodeMonitorGracePeriod: values["node-monitor-grace-period"],
            nodeEvictionRate: values["node-eviction-rate"],
            secondaryNodeEvictionRate: values["secondary-node-eviction-rate"],
            unhealthyZoneThreshold: values["unhealthy-zone-threshold"],
            largeClusterSizeThreshold: values["large-cluster-size-threshold"]
          })
    )
)

const scale = command(
  { name: "scale", summary: "Print the load of clusters of some sizes on API servers and etcd." },
  planScaleTable,
  () =>
    import("./commands/plan/planScale.ts").then(
      ({ runPlanScale }) =>
        ({ operands: sizes, values }) =>
          runPlanScale({
            sizes,
            output: values.output,
            podsPerNode: values["pods-per-node"],
            podLife: values["pod-life"]
          })
    )
)

const shutdown = command(
  { name: "shutdown", summary: "Print what a shutdown of a node will do to its pods." },
  planShutdownTable,
  () =>
    import("./commands/plan/planShutdown.ts").then(
      ({ runPlanShutdown }) =>
        ({ values }) =>
          runPlanShutdown({
            ...values,
            configDir: values["config-dir"],
            inhibitDelay: values["inhibit-delay-max-sec"]
          })
    )
)

const swap = command(
  { name: "swap", summary: "Print how much each container of a node may swap." },
  planSwapTable,
  () =>
    import("./commands/plan/planSwap.ts").then(
      ({ runPlanSwap }) =>
        ({ values }) =>
          runPlanSwap({ ...values, configDir: values["config-dir"] })
    )
)

const plan: CommandNode<Run> = {
  name: "plan",
  heading: REHEARSE,
  summary: "Predict what will happen to the pods of nodes, without changing anything.",
  commands: [drain, evictions, scale, shutdown, swap]
}

const snapshot = command(
  { name: "snapshot", heading: REHEARSE, summary: "Take a snapshot of a cluster for rehearsals and plans." },
  snapshotTable,
  () =>
    import("./commands/snapshot/run.ts").then(
      ({ runSnapshot }) =>
        ({ values: { context = "", kubeconfig = "", out } }) =>
          runSnapshot({ context, kubeconfig, out })
    )
)

const storeCommand = (name: "export" | "import" | "verify", summary: string) =>
  command({ name, summary }, storeTables[name], () =>
    import("@rollcall/components/live").then(
      ({ runTransfer }) =>
        ({ operands: [file = ""], values }) =>
          runTransfer({ verb: name, file, folder: values["data-dir"], force: values.force, etcd: values })
    )
  )

const store: CommandNode<Run> = {
  name: "store",
  heading: LIVE,
  summary: "Move the objects of a cluster between a folder and etcd.",
  commands: [
    storeCommand("export", "Write all objects of a store to a file."),
    storeCommand("import", "Write the objects of a file into an empty store."),
    storeCommand("verify", "Compare a store with a file, object by object.")
  ]
}

/** The components of a live cluster, such as `up` and `kubelet`. */
const live = Object.entries(programs).map(
  ([name, { load, summary }]): CommandNode<Run> => ({
    name,
    heading: LIVE,
    summary,
    load,
    run: (_, args) =>
      Effect.flatMap(
        Effect.promise(() => import("./live.ts")),
        (loaded) => loaded.live(name as ComponentName, args)
      )
  })
)

/** The kubectl commands, such as `get` and `drain`. */
const kubectl = Object.entries(verbs).map(
  ([name, verb]): CommandNode<Run> => ({
    name,
    heading: KUBECTL,
    summary: verb.summary,
    load: () => Promise.resolve(verb),
    run: (_, args) =>
      Effect.flatMap(
        Effect.promise(() => import("./live.ts")),
        (loaded) => loaded.kubectl([name, ...args])
      )
  })
)

const completionTable = {
  about:
    "Print a script for a shell that completes rollcall's commands, flags and values. In bash: source <(rollcall completion bash)",
  operands: { usage: "bash|zsh|fish", min: 1, max: 1, choices: shells },
  examples: ["completion bash", "completion zsh"],
  flags: {}
} satisfies Command

const completion = command(
  { name: "completion", heading: OTHER, summary: "Print the completion script of a shell." },
  completionTable,
  () =>
    import("./commands/completion.ts").then(
      ({ printScript }) =>
        ({ operands: [shell = ""] }) =>
          printScript(shell)
    )
)

const help: CommandNode<Run> = { name: "help", heading: OTHER, summary: "Show the help of a command.", commands: [] }

/** The tree of all commands. */
export const root: CommandNode<Run> = {
  name: "rollcall",
  summary: "Kubernetes nodes, as software you can run, rehearse and embed.",
  flags: {
    version: flag.boolean(false, "print the version and exit", { short: "v" }),
    // Earlier versions had this flag instead of `rollcall completion`.
    completions: optional(flag.oneOf(shells, "bash", "", { hidden: true }))
  },
  commands: [simulate, report, plan, compare, snapshot, ...live, store, ...kubectl, completion, help]
}
