/** Where a kubelet writes what it needs of logind. Upstream: pkg/kubelet/nodeshutdown/systemd/inhibit_linux.go. */
export const logindOverrideFile = "/etc/systemd/logind.conf.d/99-kubelet.conf"

/** The content of that file. Written at each start where it is needed; nobody removes it. */
export const logindOverrideText = (seconds: number): string =>
  `# Kubelet logind override\n[Login]\nInhibitDelayMaxSec=${seconds.toFixed(0)}\n`
