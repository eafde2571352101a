/**
 * The drop-in file in which a kubelet raises logind's delay.
 * Upstream: pkg/kubelet/nodeshutdown/systemd/inhibit_linux.go.
 */
export const logindOverrideFile = "/etc/systemd/logind.conf.d/99-kubelet.conf"

/** Returns the content of that file. The kubelet writes it at each start that needs it, and never removes it. */
export const logindOverrideText = (seconds: number): string =>
  `# Kubelet logind override\n[Login]\nInhibitDelayMaxSec=${seconds.toFixed(0)}\n`
