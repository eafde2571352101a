// Objects in Kubernetes' protobuf.

export {
  type Envelope,
  isLongList,
  openEnvelope,
  readRaw,
  writeEnvelope,
  writeListEnvelopeInSteps
} from "./envelope.ts"
export { goString } from "./goString.ts"
