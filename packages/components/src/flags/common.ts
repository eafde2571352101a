import { flag } from "@rollcall/flags"
import * as Result from "effect/Result"
import { logFormats } from "../log/Klog.ts"

/** Flags that every component has. Upstream: component-base. */
export const commonFlags = {
  "logging-format": flag.oneOf(logFormats, "text", "the format of log lines"),
  v: flag.integer(0, "the log level; 4 and above includes debug lines", { short: "v", placeholder: "Level" }),
  release: flag.text("", "the Kubernetes release to emulate (default: the newest)")
} as const

/** The flag of components that take services from user code. */
export const layersFlag = {
  layers: flag.text(
    "",
    "a code file (.ts or .mjs) whose default export is an Effect layer of your own store, pod runtimes or plugins"
  )
} as const

/** Flags of the cluster and the user, for components that are clients. */
export const clientFlags = {
  kubeconfig: flag.text("", "the path of the kubeconfig, which has the cluster and the user"),
  context: flag.text("", "the context of the kubeconfig (default: the current context)"),
  master: flag.text("", "the address of the API server, overrides the kubeconfig's")
} as const

/** Upstream: component-base/config/options/leaderelectionconfig.go. */
export const leaderFlags = (resourceName: string) =>
  ({
    "leader-elect": flag.boolean(
      true,
      "elect a leader before the component starts its work, so that several replicas can run"
    ),
    "leader-elect-lease-duration": flag.duration(
      15_000,
      "how long candidates wait after the leader's last renewal before they acquire the Lease"
    ),
    "leader-elect-renew-deadline": flag.duration(
      10_000,
      "how long the leader retries to renew the Lease before it stops leading and exits"
    ),
    "leader-elect-retry-period": flag.duration(2_000, "the pause between two attempts to acquire or renew the Lease"),
    "leader-elect-resource-lock": {
      ...flag.oneOf(["leases"], "leases", "the type of the lock object"),
      read: (text: string) =>
        text === "leases" ? Result.succeed(text) : Result.fail('resourceLock value must be "leases"')
    },
    "leader-elect-resource-name": flag.text(resourceName, "the name of the Lease"),
    "leader-elect-resource-namespace": flag.text("kube-system", "the namespace of the Lease")
  }) as const

const HEALTH_PATHS = ["/healthz", "/readyz", "/livez"]
const CACHE_TTL_MS = 10_000

/** Flags of a secure port. Upstream: apiserver/pkg/server/options/{serving,authentication,authorization}.go. */
const secureFlags = {
  "tls-cert-file": flag.text("", "the PEM file of the certificate of the secure port (default: one in memory)"),
  "tls-private-key-file": flag.text("", "the PEM file of the key of --tls-cert-file"),
  "cert-dir": flag.text("", "a folder that keeps the certificate of the secure port, if no file is given"),
  "client-ca-file": flag.text("", "the PEM file of the CA of client certificates (default: that of the cluster)"),
  "authentication-kubeconfig": flag.text(
    "",
    "the kubeconfig for TokenReviews; without it all callers of the secure port are anonymous"
  ),
  "authentication-skip-lookup": flag.boolean(false, "do not read the CA of client certificates from the cluster"),
  "authentication-token-webhook-cache-ttl": flag.duration(CACHE_TTL_MS, "how long TokenReviews are remembered"),
  "authorization-kubeconfig": flag.text(
    "",
    "the kubeconfig for SubjectAccessReviews; without it only --authorization-always-allow-paths are served"
  ),
  "authorization-always-allow-paths": {
    ...flag.texts("the paths of the secure port that need no authorization"),
    initial: HEALTH_PATHS
  },
  "authorization-webhook-cache-authorized-ttl": flag.duration(CACHE_TTL_MS, "how long permissions are remembered"),
  "authorization-webhook-cache-unauthorized-ttl": flag.duration(CACHE_TTL_MS, "how long refusals are remembered")
} as const

export const servingFlags = (port: number) =>
  ({
    "bind-address": flag.text("127.0.0.1", "the address of /healthz and /metrics"),
    "secure-port": flag.integer(port, "the port of /healthz and /metrics, over TLS; 0 for none"),
    ...secureFlags
  }) as const

/** The flags of proxies in front of a program; the API server's have an effect. */
export const ignoredProxyFlags: ReadonlyArray<string> = [
  "requestheader-allowed-names",
  "requestheader-client-ca-file",
  "requestheader-extra-headers-prefix",
  "requestheader-group-headers",
  "requestheader-uid-headers",
  "requestheader-username-headers"
]

/** Flags of the real components without effect here: profiling, certificates, logs, metrics. Upstream: component-base, apiserver. */
export const ignoredEverywhere: ReadonlyArray<string> = [
  "allow-metric-labels",
  "allow-metric-labels-manifest",
  "authentication-tolerate-lookup-failure",
  "contention-profiling",
  "disable-http2-serving",
  "disabled-metrics",
  "emulated-version",
  "emulation-forward-compatible",
  "http2-max-streams-per-connection",
  "kube-api-content-type",
  "log-flush-frequency",
  "log-json-info-buffer-size",
  "log-json-split-stream",
  "log-text-info-buffer-size",
  "log-text-split-stream",
  "min-compatibility-version",
  "permit-address-sharing",
  "permit-port-sharing",
  "profiling",
  "runtime-config-emulation-forward-compatible",
  "show-hidden-metrics-for-version",
  "tls-cipher-suites",
  "tls-curve-preferences",
  "tls-min-version",
  "tls-sni-cert-key",
  "vmodule"
]

/** The flags of a secure port, for programs that have none of their own. */
export const ignoredSecureFlags: ReadonlyArray<string> = Object.keys(secureFlags)
