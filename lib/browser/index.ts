import { BrowserExecutor } from './executor';

export { BrowserExecutor };
