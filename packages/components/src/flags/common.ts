import { flag } from "@rollcall/flags"
import * as Result from "effect/Result"
import { logFormats } from "../log/Klog.ts"

/** Flags that every component has. Upstream: component-base. */
export const commonFlags = {
  "logging-format": flag.oneOf(logFormats, "text", "how log lines are written"),
  v: flag.integer(0, "log more: 4 shows debugging lines", { short: "v", placeholder: "Level" }),
  release: flag.text("", "the release of Kubernetes to behave as (default: the newest that is emulated)")
} as const

/** Of a component that reads ports of a world. */
export const layersFlag = {
  layers: flag.text(
    "",
    "a file of code (.ts or .mjs) whose default export is a layer for ports of your own: a store, pod runtimes, plugins"
  )
} as const

/** Where a component that is a client finds its cluster. */
export const clientFlags = {
  kubeconfig: flag.text("", "path to a kubeconfig file: the cluster, and who to be there"),
  context: flag.text("", "the context of the kubeconfig to use (default: its current one)"),
  master: flag.text("", "the address of the API server, instead of the kubeconfig's")
} as const

/** Upstream: component-base/config/options/leaderelectionconfig.go. */
export const leaderFlags = (resourceName: string) =>
  ({
    "leader-elect": flag.boolean(true, "work only while holding the Lease, so that several can stand by"),
    "leader-elect-lease-duration": flag.duration(15_000, "how long others wait for a silent leader"),
    "leader-elect-renew-deadline": flag.duration(
      10_000,
      "how long a leader tries to renew before it gives up and exits"
    ),
    "leader-elect-retry-period": flag.duration(2_000, "the pause between two tries"),
    "leader-elect-resource-lock": {
      ...flag.oneOf(["leases"], "leases", "what the lock is: a Lease, as all other kinds are gone"),
      read: (text: string) =>
        text === "leases" ? Result.succeed(text) : Result.fail('resourceLock value must be "leases"')
    },
    "leader-elect-resource-name": flag.text(resourceName, "the name of the Lease"),
    "leader-elect-resource-namespace": flag.text("kube-system", "the namespace of the Lease")
  }) as const

export const servingFlags = (port: number) =>
  ({
    "bind-address": flag.text("127.0.0.1", "the address of /healthz and /metrics"),
    "secure-port": flag.integer(port, "the port of /healthz and /metrics; 0 for none")
  }) as const

/** Flags of the real components that say nothing here: profiling, certificates, logs, metrics. Upstream: component-base, apiserver. */
export const ignoredEverywhere: ReadonlyArray<string> = [
  "allow-metric-labels",
  "allow-metric-labels-manifest",
  "authentication-kubeconfig",
  "authentication-skip-lookup",
  "authentication-token-webhook-cache-ttl",
  "authentication-tolerate-lookup-failure",
  "authorization-always-allow-paths",
  "authorization-kubeconfig",
  "authorization-webhook-cache-authorized-ttl",
  "authorization-webhook-cache-unauthorized-ttl",
  "cert-dir",
  "client-ca-file",
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
  "requestheader-allowed-names",
  "requestheader-client-ca-file",
  "requestheader-extra-headers-prefix",
  "requestheader-group-headers",
  "requestheader-uid-headers",
  "requestheader-username-headers",
  "runtime-config-emulation-forward-compatible",
  "show-hidden-metrics-for-version",
  "tls-cert-file",
  "tls-cipher-suites",
  "tls-curve-preferences",
  "tls-min-version",
  "tls-private-key-file",
  "tls-sni-cert-key",
  "vmodule"
]
