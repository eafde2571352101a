/** What holds of every table of settings: for the tests of packages that have one. */

export { isSettingsTable, settingsContract } from "./settingsContract.ts"
