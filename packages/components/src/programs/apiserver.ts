import { flag } from "@rollcall/flags"
import { admissionFlags } from "../flags/admissionPlugins.ts"
import { commonFlags, ignoredEverywhere, layersFlag } from "../flags/common.ts"
import { componentGrammar, type Program } from "../flags/Program.ts"
import { ignoredByServer } from "../flags/serverIgnored.ts"

/** Flags that make an API server, here and within `up`. */
export const serverFlags = {
  "data-dir": flag.text("", "keep the cluster in this folder (default: a temporary one, gone with the process)"),
  "accept-data-loss": flag.boolean(
    false,
    "start though the store lacks writes that were acknowledged, and go on without them"
  ),
  "bind-address": flag.text("127.0.0.1", "the address to listen on"),
  "authorization-mode": flag.texts(
    "how requests are authorized, in order: Node, RBAC, AlwaysAllow (default: Node,RBAC)"
  ),
  "anonymous-auth": flag.boolean(true, "let requests without credentials see health and version"),
  "token-auth-file": flag.text("", 'a CSV file of bearer tokens: token,user,uid,"group1,group2"'),
  "tls-san": flag.texts("names and addresses of the server beside those that every API server has"),
  "event-ttl": flag.duration(3_600_000, "how long Events are kept"),
  "default-not-ready-toleration-seconds": flag.integer(300, "of pods that do not say how long they tolerate not-ready"),
  "default-unreachable-toleration-seconds": flag.integer(
    300,
    "of pods that do not say how long they tolerate unreachable"
  ),
  ...admissionFlags,
  "max-requests-inflight": flag.integer(400, "requests that read, at a time; see --enable-priority-and-fairness"),
  "max-mutating-requests-inflight": flag.integer(
    200,
    "requests that write, at a time; see --enable-priority-and-fairness"
  ),
  "enable-priority-and-fairness": flag.boolean(
    true,
    "divide the requests at a time, of both limits together, fairly among clients, as FlowSchemas and PriorityLevelConfigurations say"
  ),
  name: flag.text("", "how kubeconfigs call the cluster, its user and its context (default: rollcall)"),
  "kubeconfig-out": flag.text(
    "",
    "write the administrator's kubeconfig to this file too; over nothing but an earlier one of Rollcall"
  )
} as const

/** The command line of kube-apiserver, as far as it has a meaning here. */
export const apiserverProgram = {
  name: "kube-apiserver",
  about: "Serves the Kubernetes API over HTTPS, on a store in one SQLite file.",
  flags: {
    ...serverFlags,
    "secure-port": flag.integer(6443, "the port to listen on; 0 for any free one"),
    "service-cluster-ip-range": flag.text("10.96.0.0/12", "where the addresses of services come from: an IPv4 CIDR"),
    ...layersFlag,
    ...commonFlags
  },
  ignored: [...ignoredEverywhere, ...ignoredByServer],
  ...componentGrammar
} satisfies Program
