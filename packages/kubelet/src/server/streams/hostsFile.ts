import type { Pod, PodStatus } from "@rollcall/api"
import { podNamesOf } from "./containerWorld.ts"

/** The names that every pod knows. Upstream: pkg/kubelet/kubelet_pods.go, managedHostsFileContent. */
const COMMON = [
  "127.0.0.1\tlocalhost",
  "::1\tlocalhost ip6-localhost ip6-loopback",
  "fe00::0\tip6-localnet",
  "fe00::0\tip6-mcastprefix",
  "fe00::1\tip6-allnodes",
  "fe00::2\tip6-allrouters"
]

/** The file of a modelled machine. */
export const MACHINE_HOSTS = "127.0.0.1\tlocalhost\n::1\tlocalhost\n"

const aliasesOf = ({ hostAliases = [] }: Pod["spec"]): string =>
  hostAliases.length === 0
    ? ""
    : `\n# Entries added by HostAliases.\n${hostAliases
        .map(({ hostnames = [], ip }) => `${ip}\t${hostnames.join("\t")}\n`)
        .join("")}`

/** Returns /etc/hosts of a container, as its kubelet writes it. */
export const hostsFileOf = (pod: Pod, { podIP, podIPs }: PodStatus): string => {
  const { spec } = pod
  if (spec.hostNetwork === true)
    return `# Kubernetes-managed hosts file (host network).\n${MACHINE_HOSTS}${aliasesOf(spec)}`
  const { domain, hostname } = podNamesOf(pod)
  const names = domain === "" ? hostname : `${hostname}.${domain}\t${hostname}`
  const addresses = podIPs?.map(({ ip }) => ip) ?? (podIP === undefined ? [] : [podIP])
  const own = addresses.map((ip) => `${ip}\t${names}\n`).join("")
  return `# Kubernetes-managed hosts file.\n${COMMON.join("\n")}\n${own}${aliasesOf(spec)}`
}
