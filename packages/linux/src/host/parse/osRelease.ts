/** PRETTY_NAME of os-release, `Linux` when it has none. Upstream: cadvisor machine/operatingsystem_unix.go. */
export const parsePrettyName = (text: string): string =>
  /^PRETTY_NAME=(.*)$/m.exec(text)?.[1]?.replace(/^['" ]+|['" ]+$/g, "") ?? "Linux"
