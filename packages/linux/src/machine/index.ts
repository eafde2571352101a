export { LinuxMachine, layerLinuxHosts } from "./LinuxMachine.ts"
export { type LogindInhibitorsOptions, layerLogindInhibitors } from "./LogindInhibitors.ts"
