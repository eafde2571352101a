/** Addresses of logind and systemd on the system bus. Upstream: pkg/kubelet/nodeshutdown/systemd/inhibit_linux.go. */
export const LOGIND = {
  destination: "org.freedesktop.login1",
  path: "/org/freedesktop/login1",
  interface: "org.freedesktop.login1.Manager"
} as const

export const SYSTEMD = {
  destination: "org.freedesktop.systemd1",
  path: "/org/freedesktop/systemd1",
  interface: "org.freedesktop.systemd1.Manager"
} as const

/** The arguments of the lock. */
export const LOCK = {
  what: "shutdown",
  who: "kubelet",
  why: "Kubelet needs time to handle node shutdown",
  mode: "delay"
} as const
