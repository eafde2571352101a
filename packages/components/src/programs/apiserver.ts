import { flag } from "@rollcall/flags"
import { etcdFlags } from "../apiserver/etcdFlags.ts"
import { frontProxyFlags } from "../apiserver/frontProxies.ts"
import { kubeletClientFlags } from "../apiserver/kubelets/kubeletFlags.ts"
import { proxyClientFlags } from "../apiserver/proxyClient.ts"
import { admissionFlags } from "../flags/admissionPlugins.ts"
import { commonFlags, ignoredEverywhere, ignoredSecureFlags, layersFlag } from "../flags/common.ts"
import { gatesFlag } from "../flags/gatesFlag.ts"
import { componentGrammar, type Program } from "../flags/Program.ts"
import { ignoredByServer } from "../flags/serverIgnored.ts"

/** Flags of the API server that `apiserver` and `up` share. */
export const serverFlags = {
  "data-dir": flag.text("", "the folder that stores the cluster (default: a temporary folder, deleted on exit)"),
  "accept-data-loss": flag.boolean(false, "start even if the store has lost acknowledged writes"),
  ...etcdFlags,
  "bind-address": flag.text("127.0.0.1", "the address to listen on"),
  "advertise-address": flag.text(
    "",
    "the address of this server in the endpoints of the Service kubernetes (default: --bind-address, or one of this machine)"
  ),
  "endpoint-reconciler-type": {
    ...flag.text(
      "lease",
      "how the endpoints of the Service kubernetes are kept: each running server adds its own (lease), or not at all (none)"
    ),
    choices: ["lease", "none"]
  },
  "authorization-mode": flag.texts(
    "how requests are authorized, in order: Node, RBAC, AlwaysAllow (default: Node,RBAC)"
  ),
  "anonymous-auth": flag.boolean(true, "allow requests without credentials to read health and version"),
  "token-auth-file": flag.text("", 'a CSV file of bearer tokens: token,user,uid,"group1,group2"'),
  "enable-bootstrap-token-auth": flag.boolean(
    false,
    "authenticate the tokens in Secrets of the type bootstrap.kubernetes.io/token in kube-system"
  ),
  ...frontProxyFlags,
  ...proxyClientFlags,
  ...kubeletClientFlags,
  "tls-san": flag.texts("additional names and addresses for the server's certificate"),
  "event-ttl": flag.duration(3_600_000, "how long Events are kept"),
  "feature-gates": { ...gatesFlag, help: "feature gates; of those of this server only HPAScaleToZero has an effect" },
  "default-not-ready-toleration-seconds": flag.integer(
    300,
    "the toleration of the not-ready taint, for pods without one of their own"
  ),
  "default-unreachable-toleration-seconds": flag.integer(
    300,
    "the toleration of the unreachable taint, for pods without one of their own"
  ),
  ...admissionFlags,
  "max-requests-inflight": flag.integer(
    400,
    "the limit of concurrent read requests; see --enable-priority-and-fairness"
  ),
  "max-mutating-requests-inflight": flag.integer(
    200,
    "the limit of concurrent write requests; see --enable-priority-and-fairness"
  ),
  "enable-priority-and-fairness": flag.boolean(
    true,
    "divide the sum of both limits fairly among clients, by FlowSchemas and PriorityLevelConfigurations"
  ),
  name: flag.text("", "the name of the cluster, its user and its context in kubeconfigs (default: rollcall)"),
  "kubeconfig-out": flag.text(
    "",
    "also write the administrator's kubeconfig to this file, unless it exists and was not written by Rollcall"
  )
} as const

/** The command line of kube-apiserver, without flags that have no effect. */
export const apiserverProgram = {
  name: "kube-apiserver",
  about: "Serve the Kubernetes API over HTTPS, on a store in one SQLite file, or in etcd.",
  flags: {
    ...serverFlags,
    "secure-port": flag.integer(6443, "the port to listen on; 0 for any free port"),
    "service-cluster-ip-range": flag.text("10.96.0.0/12", "the IPv4 CIDR of the addresses of Services"),
    "shutdown-delay-duration": flag.duration(
      0,
      "how long this server goes on to serve after SIGTERM while /readyz fails, so that load balancers take it out"
    ),
    "shutdown-watch-termination-grace-period": flag.duration(
      0,
      "the time over which watches are ended after that, at 200 a second or more; 0 for all at once"
    ),
    "shutdown-send-retry-after": flag.boolean(
      false,
      "accept connections until all requests in progress are answered, and answer new requests with 429 and Retry-After"
    ),
    ...layersFlag,
    ...commonFlags
  },
  ignored: [...ignoredEverywhere, ...ignoredSecureFlags, ...ignoredByServer],
  ...componentGrammar
} satisfies Program
