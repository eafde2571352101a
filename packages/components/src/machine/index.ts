export { type LinuxKubeletOptions, linuxKubelet } from "./linuxKubelet.ts"
