'use strict';

const { SmolagentsExecutor, createSmolagentsExecutor } = require('./executor');
const { formatErrorObservation, formatObservation } = require('./observation');
const { toHostTools } = require('./tools');

module.exports = {
  SmolagentsExecutor,
  createSmolagentsExecutor,
  formatErrorObservation,
  formatObservation,
  toHostTools,
};
