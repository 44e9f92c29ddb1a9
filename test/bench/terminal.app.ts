/** The interactive front with a real engine and a scripted model, as one program. */
import "../e2e/terminal-app.ts"
