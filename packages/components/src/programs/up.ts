import { ipamSettings } from "@rollcall/control-plane"
import { flag } from "@rollcall/flags"
import { settingFlags } from "@rollcall/flags/settings"
import { commonFlags, layersFlag } from "../flags/common.ts"
import { componentGrammar, type Program } from "../flags/Program.ts"
import { serverFlags } from "./apiserver.ts"

/**
 * The default pod CIDR of a cluster in one process: has a block for each of 32,768 nodes, and does not overlap the Services'
 * 10.96.0.0/12.
 */
export const upIpam = { allocateNodeCIDRs: true, clusterCIDR: "10.128.0.0/9" } as const

/** The command line of a whole cluster in one process. */
export const upProgram = {
  name: "rollcall up",
  about:
    "Run a live cluster in this process: API server, controllers, scheduler, and kubelets on modelled machines. Ctrl-C stops it.",
  flags: {
    nodes: flag.integer(3, "the number of modelled nodes"),
    zones: flag.integer(1, "the number of zones to spread the nodes over: zone-a, zone-b, …"),
    config: flag.text(
      "",
      "a scenario file: creates the cluster from its nodes, configuration and manifests, and plays its events"
    ),
    speed: flag.number(1, "the speed of the cluster's clock: at 60, a minute takes a second"),
    port: flag.integer(6443, "the port of the API server; 0 for any free port"),
    seed: flag.integer(1, "the seed of the random numbers"),
    "merge-kubeconfig": flag.boolean(
      false,
      "add the cluster to ~/.kube/config (or KUBECONFIG) as the current context until the cluster stops, under --name or the first free name of rollcall, rollcall-2, …"
    ),
    "exit-when-ready": flag.boolean(false, "exit with code 0 once all nodes are Ready, for use in scripts"),
    output: flag.oneOf(
      ["text", "json"],
      "text",
      "what is printed when the nodes are Ready; json is one object on one line"
    ),
    "parent-pid": flag.integer(
      0,
      "end when the process with this ID ends, for programs that start a cluster; 0: no process"
    ),
    demo: flag.boolean(false, "create a small workload and print commands to try"),
    ...settingFlags(ipamSettings),
    ...serverFlags,
    ...layersFlag,
    ...commonFlags
  },
  ...componentGrammar
} satisfies Program
