export { boundedText } from "./boundedText.ts"
export { layerBoundedFiles, MAX_TEXT_BYTES } from "./layerBoundedFiles.ts"
export { readRegularText, readText } from "./readText.ts"
export { TextFileError, type TextFileReason } from "./TextFileError.ts"
