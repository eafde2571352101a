import { commonFlags, ignoredEverywhere } from "../flags/common.ts"
import { type Flags, flag } from "../flags/Flag.ts"
import type { Program } from "../flags/parseFlags.ts"

/** Flags that make an API server, here and within `up`. */
export const serverFlags = {
  "data-dir": flag.text("", "keep the cluster in this folder (default: a temporary one, gone with the process)"),
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
  "max-requests-inflight": flag.integer(400, "requests that read, at a time"),
  "max-mutating-requests-inflight": flag.integer(200, "requests that write, at a time"),
  "kubeconfig-out": flag.text("", "write the administrator's kubeconfig to this file too")
} as const

/** The command line of kube-apiserver, as far as it has a meaning here. */
export const apiserverProgram = {
  name: "kube-apiserver",
  about: "Serves the Kubernetes API over HTTPS, on a store in one SQLite file.",
  flags: {
    ...serverFlags,
    "secure-port": flag.integer(6443, "the port to listen on; 0 for any free one"),
    ...commonFlags
  },
  ignored: [
    ...ignoredEverywhere,
    "admission-control-config-file",
    "advertise-address",
    "allow-privileged",
    "api-audiences",
    "apiserver-count",
    "audit-log-path",
    "audit-policy-file",
    "client-ca-file",
    "disable-admission-plugins",
    "enable-admission-plugins",
    "enable-bootstrap-token-auth",
    "enable-priority-and-fairness",
    "etcd-cafile",
    "etcd-certfile",
    "etcd-keyfile",
    "etcd-servers",
    "feature-gates",
    "kubelet-client-certificate",
    "kubelet-client-key",
    "kubelet-preferred-address-types",
    "proxy-client-cert-file",
    "proxy-client-key-file",
    "request-timeout",
    "runtime-config",
    "service-account-issuer",
    "service-account-key-file",
    "service-account-signing-key-file",
    "service-cluster-ip-range",
    "storage-backend",
    "tls-cert-file",
    "tls-private-key-file",
    "watch-cache"
  ]
} satisfies Program<Flags>
