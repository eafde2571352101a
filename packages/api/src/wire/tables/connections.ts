import type { Table } from "../Table.ts"

/**
 * The options of connections, which have no metadata. Upstream: staging/src/k8s.io/api/core/v1/{types.go,generated.proto}.
 */
export const connections: Table = {
  package: "io.k8s.api.core.v1",
  group: "",
  messages: `
PodAttachOptions kind # The streams of a running container to attach to.
  stdin 1 bool
  stdout 2 bool
  stderr 3 bool
  tty 4 bool
  container 5 string
PodExecOptions kind # A command to run in a container, and its streams.
  stdin 1 bool
  stdout 2 bool
  stderr 3 bool
  tty 4 bool
  container 5 string
  command 6 []string required
PodPortForwardOptions kind # The ports of a pod to forward.
  ports 1 []int32
PodProxyOptions kind # The path of a request to a pod.
  path 1 string
ServiceProxyOptions kind # The path of a request to a service.
  path 1 string
NodeProxyOptions kind # The path of a request to a kubelet.
  path 1 string
`
}
