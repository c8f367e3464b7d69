// Routes of the tags of schedules (contract-admin 9.4, 9.5).
import { AppError } from '../../model/errors.js';
import { parseTags, toTagJson } from '../../model/tag.js';
import { body, query, replies, type Endpoint } from '../endpoint.js';
import { list, text } from '../form.js';
import { empty, json } from '../route.js';
import { shown, type ScheduleParts } from './endpoints.js';
import { scheduleForm, tagForm } from './forms.js';
