// Made by `npm run ui:types` from the server's description of its API.
export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** AccessKey */
        AccessKey: {
            /** @description Id */
            id: string;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createdAt: number;
            /** @enum {string} */
            status: "ACTIVE" | "INACTIVE";
            /**
             * Format: int64
             * @description From then on it does not count; absent: it has no end
             */
            expiresAt?: number;
            /**
             * Format: int64
             * @description To the hour; absent: it was never used
             */
            lastUsedAt?: number;
        };
        /** ActuatorHealth */
        ActuatorHealth: {
            /** @enum {string} */
            status: "UP" | "DOWN";
        };
        /** Application */
        Application: {
            name: string;
            /** @description UUID */
            id: string;
            /** @description Subject id */
            createdBy?: string;
            /** @description Subject id */
            updatedBy?: string;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createTime: number;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            updateTime: number;
            tags?: components["schemas"]["Tag"][];
        };
        /** ApplicationRequest */
        ApplicationRequest: {
            name: string;
        };
        /** Attention */
        Attention: {
            /** @enum {string} */
            kind: "timer" | "queue" | "wait" | "human-due" | "human" | "failures" | "paused";
            /** @description Tasks of a queue, tasks for people, timers, or executions */
            count: number;
            /** @description The cause in one sentence */
            sentence: string;
            /** @description Task type of the queue */
            taskType?: string;
            /** @description Domain of the queue; empty for none */
            domain?: string;
            /** @description Id of the task for a person */
            taskId?: string;
            /** @description Id of the execution, where it is one */
            workflowId?: string;
            /** @description Search that finds the executions */
            query?: string;
            /**
             * Format: int64
             * @description Since when it is so, epoch milliseconds; absent where it is not known
             */
            since?: number;
        };
        /** AuditEntry */
        AuditEntry: {
            /** @description Rises with time */
            id: string;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            at: number;
            /** @description Subject id; empty for nobody */
            caller: string;
            /** @description user, application or local */
            callerKind?: string;
            /** @description Name of the operation */
            action: string;
            objects: string[];
            /** @description HTTP status of the answer */
            status: number;
            /** @description Address of the client */
            address?: string;
            /** @description In the words of the caller */
            reason?: string;
            /** @description How often it happened in the minute before; absent: once */
            times?: number;
        };
        /** AuthMetadata */
        AuthMetadata: {
            /** @description Header */
            key: string;
            /** @description Answered as *** */
            value?: string;
        };
        /** AuthorizationRequest */
        AuthorizationRequest: {
            subject: components["schemas"]["SubjectRef"];
            target: components["schemas"]["TargetRef"];
            access: ("CREATE" | "READ" | "EXECUTE" | "UPDATE" | "DELETE")[];
        };
        /** BulkFailureGroup */
        BulkFailureGroup: {
            /** @description Of a group that `GET /api/workflow/failures` shows */
            fingerprint: string;
            /**
             * @description Executions that started in it, such as `1h`, `7d`
             * @default 1d
             */
            window: string;
        };
        /** BulkJob */
        BulkJob: {
            /**
             * @description What is done with each execution
             * @enum {string}
             */
            action: "retry" | "restart" | "rerun" | "pause" | "resume" | "terminate" | "remove";
            options: components["schemas"]["BulkJobOptions"];
            /** @description Why, in the words of the caller; the history of each execution shows it */
            reason: string;
            /**
             * @description Executions that go alone first; 0: none
             * @default 5
             */
            canary: number;
            /**
             * @description The rest waits so long at most for the canary to end
             * @default 30
             */
            canarySeconds: number;
            /**
             * @description Executions per second
             * @default 50
             */
            ratePerSecond: number;
            /**
             * @description Stops by itself at so many failures; 0: never
             * @default 3
             */
            stopAfterFailures: number;
            jobId: string;
            /** @enum {string} */
            state: "PREVIEW" | "RUNNING" | "STOPPED" | "COMPLETED";
            /** @description Executions that were found */
            matched: number;
            /** @description Executions that it acts on, fixed at its creation */
            count: number;
            /** @description Executions with an outcome */
            done: number;
            /** @description Executions of these that were not acted on */
            refused: number;
            /** @description Executions of the canary that failed again */
            failedAgain: number;
            /** @description Executions that were found and are left out */
            excluded: components["schemas"]["BulkJobExclusion"][];
            /** @description Ids of the first ones */
            sample: string[];
            /** @description Why it was stopped */
            stoppedBecause?: string;
            createdBy?: string;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createdAt?: number;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            startedAt?: number;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            endedAt?: number;
            /** @description Why executions were refused, the first 1000; only when one job is shown */
            errors?: components["schemas"]["BulkJobError"][];
        };
        /** BulkJobError */
        BulkJobError: {
            workflowId: string;
            message: string;
        };
        /** BulkJobExclusion */
        BulkJobExclusion: {
            reason: string;
            count: number;
            /** @description Ids */
            sample: string[];
        };
        /** BulkJobOptions */
        BulkJobOptions: {
            /**
             * @description restart: with the latest version
             * @default false
             */
            useLatestDefinitions: boolean;
            /**
             * @description terminate: start the failure workflows
             * @default false
             */
            triggerFailureWorkflow: boolean;
        };
        /** BulkJobOutcome */
        BulkJobOutcome: {
            workflowId: string;
            /** @enum {string} */
            outcome: "WAITING" | "REFUSED" | "FIXED" | "RUNNING" | "FAILED_AGAIN" | "DONE" | "GONE";
            /** @description Absent: it is not there any more */
            workflowType?: string;
            correlationId?: string;
            /**
             * @description Now
             * @enum {string}
             */
            status?: "RUNNING" | "PAUSED" | "COMPLETED" | "FAILED" | "TIMED_OUT" | "TERMINATED";
            /** @description Why it was refused, or failed again */
            reason?: string;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            endTime?: number;
        };
        /** BulkJobOutcomes */
        BulkJobOutcomes: {
            /** @description How many there are of each outcome; absent: none */
            counts: {
                [key: string]: number;
            };
            /** @description Executions with the outcome that was asked for */
            totalHits: number;
            /** @description Executions of the job that were not looked at */
            omitted: number;
            results: components["schemas"]["BulkJobOutcome"][];
        };
        /** BulkJobRequest */
        BulkJobRequest: {
            /**
             * @description What is done with each execution
             * @enum {string}
             */
            action: "retry" | "restart" | "rerun" | "pause" | "resume" | "terminate" | "remove";
            options?: components["schemas"]["BulkJobOptions"];
            /** @description Why, in the words of the caller; the history of each execution shows it */
            reason?: string;
            /**
             * @description Executions that go alone first; 0: none
             * @default 5
             */
            canary: number;
            /**
             * @description The rest waits so long at most for the canary to end
             * @default 30
             */
            canarySeconds: number;
            /**
             * @description Executions per second
             * @default 50
             */
            ratePerSecond: number;
            /**
             * @description Stops by itself at so many failures; 0: never
             * @default 3
             */
            stopAfterFailures: number;
            /** @description Executions; not together with query */
            ids?: string[];
            /** @description Conditions, as in a search; empty: all executions */
            query?: string;
            /**
             * @description Words to look for; `*` or empty for all
             * @default *
             */
            freeText: string;
            failureGroup?: components["schemas"]["BulkFailureGroup"];
        };
        /** BulkResponse */
        BulkResponse: {
            /** @description Messages by what failed */
            bulkErrorResults: {
                [key: string]: string;
            };
            /** @description What succeeded */
            bulkSuccessfulResults: string[];
        };
        /** BulkResponseWorkflow */
        BulkResponseWorkflow: {
            /** @description Messages by what failed */
            bulkErrorResults: {
                [key: string]: string;
            };
            /** @description What succeeded */
            bulkSuccessfulResults: components["schemas"]["Workflow"][];
        };
        /** CacheConfig */
        CacheConfig: {
            /**
             * @description How long a result is used
             * @default 0
             */
            ttlInSecond: number;
            /** @description Key of the result; may hold expressions */
            key?: string;
        };
        /** CircuitBreakerTransitionResponse */
        CircuitBreakerTransitionResponse: {
            service: string;
            previousState: string;
            currentState: string;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            transitionTimestamp: number;
            message: string;
        };
        /** Cluster */
        Cluster: {
            /** @description The node that answers */
            nodeId: string;
            nodes: components["schemas"]["ClusterNode"][];
            leader: string | null;
            /** @description Number of shards of the keyspace */
            shards: number;
            /** @description Shards that no node is known to serve, or that move */
            moving: number[];
        };
        /** ClusterNode */
        ClusterNode: {
            nodeId: string;
            /** @description Of the server */
            version: string;
            /** @description host:port of its API */
            address: string;
            /** @description host:port at which other nodes reach it */
            peerAddress: string;
            /** @description Milliseconds until its lease expires unless it is renewed */
            leaseMs: number;
            /** @description How many shards it owns, as far as this node knows */
            shards: number;
            /** @description Whether this node can ask it now */
            linked: boolean;
            /** @enum {string} */
            state: "serving" | "leaving";
        };
        /** ConductorUser */
        ConductorUser: {
            /** @description Usually an e-mail address, in lower case */
            id: string;
            /** @description Name to show */
            name: string;
            roles: components["schemas"]["Role"][];
            groups: components["schemas"]["Group"][];
            /** @description Absent for applications */
            uuid?: string;
            contactInformation?: {
                [key: string]: unknown;
            };
            /** @description Whether it is an application, whose id is app:<id> */
            applicationUser: boolean;
            /** @description Always false */
            orkesWorkersApp?: boolean;
            /** @description Always false */
            orkesApiGateway?: boolean;
            /** @description Always false */
            orkesApp?: boolean;
            /** @description Always false */
            encryptedId?: boolean;
            /** @description The id */
            encryptedIdDisplayValue?: string;
        };
        /** ConnectivityTest */
        ConnectivityTest: {
            sink: string;
            input?: {
                [key: string]: unknown;
            };
        };
        /** ConnectivityTestResult */
        ConnectivityTestResult: {
            successful: boolean;
            reason: string;
            workflowId: string;
        };
        /** CorrelationIdsSearchRequest */
        CorrelationIdsSearchRequest: {
            correlationIds: string[];
            workflowNames: string[];
        };
        /** CreatedAccessKey */
        CreatedAccessKey: {
            /** @description Id */
            id: string;
            /** @description Shown this one time only */
            secret: string;
            /**
             * Format: int64
             * @description From then on it does not count; absent: it has no end
             */
            expiresAt?: number;
        };
        /** CronSchedule */
        CronSchedule: {
            /** @description Six fields: second minute hour day-of-month month day-of-week */
            cronExpression: string;
            /** @description IANA name; UTC when absent */
            zoneId?: string;
        };
        /** CustomRoleRequest */
        CustomRoleRequest: {
            name?: string;
            permissions: string[];
        };
        /** CutMember */
        CutMember: {
            /** @description Bytes of its JSON */
            bytes: number;
            /** @description The first bytes of it, as many as were asked for; no whole JSON */
            text: string;
        };
        /** DeadLetter */
        DeadLetter: {
            id: string;
            handler: string;
            event: string;
            messageId: string;
            /** @description The message */
            payload: string;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            publishedAt: number;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            failedAt: number;
            reason: string;
            /** @description Trace of what published the message, which goes on when it is delivered again */
            traceparent?: string;
            /** @description Of the same trace */
            tracestate?: string;
        };
        /** DeadLetterIds */
        DeadLetterIds: {
            /** @description Without a body: all that the operation is for */
            ids?: string[];
        };
        /** DefinitionWarnings */
        DefinitionWarnings: {
            warnings: string[];
        };
        /** DescribedResource */
        DescribedResource: {
            /** @description Unique; made of what they are called */
            name: string;
            /** @description All of them, as a heading */
            title: string;
            /** @description One of them, in a sentence */
            one: string;
            /** @description Why there are such records, in a sentence */
            about?: string;
            /**
             * @description Their type in grants; absent: roles alone decide
             * @enum {string}
             */
            type?: "WORKFLOW" | "WORKFLOW_DEF" | "WORKFLOW_SCHEDULE" | "EVENT_HANDLER" | "TASK_DEF" | "TASK_REF_NAME" | "TASK_ID" | "APPLICATION" | "USER" | "GROUP" | "ROLE" | "SECRET_NAME" | "ENV_VARIABLE" | "TAG" | "DOMAIN" | "INTEGRATION_PROVIDER" | "INTEGRATION" | "PROMPT" | "USER_FORM_TEMPLATE" | "SCHEMA" | "CLUSTER_CONFIG" | "WEBHOOK" | "API_GATEWAY_SERVICE" | "API_GATEWAY_SERVICE_ROUTE" | "AUTH_CONFIG" | "SERVICE_REGISTRY";
            /** @description Members that name one, in the order of its path */
            key: string[];
            list: components["schemas"]["ResourceCall"];
            /** @description Member of an item of the list that holds records; absent: items do */
            within?: string;
            create?: components["schemas"]["ResourceCall"];
            replace?: components["schemas"]["ResourceCall"];
            remove?: components["schemas"]["ResourceCall"];
            versions?: components["schemas"]["ResourceCall"];
            /**
             * @description create?newVersion=true stores a further version
             * @default false
             */
            hasNewVersion: boolean;
            /** @description JSON Schema of what is written */
            form: {
                [key: string]: unknown;
            };
            /** @description Fields that stand in a table */
            columns: components["schemas"]["ResourceColumn"][];
        };
        /** EndedSessions */
        EndedSessions: {
            /** @description How many */
            ended: number;
        };
        /** EnvironmentVariable */
        EnvironmentVariable: {
            /** @description Letters, digits, _ and - */
            name: string;
            value: string;
            tags: components["schemas"]["Tag"][];
        };
        /** ErrorResponse */
        ErrorResponse: {
            /** @description The HTTP status */
            status: number;
            /** @description One sentence for people */
            message?: string;
            /** @description Name of the server; absent for violated rules */
            instance?: string;
            /** @description Whether the same call may succeed later */
            retryable: boolean;
            /** @description 401 and 403: whether a new token helps */
            error?: string;
            /** @description Violated rules */
            validationErrors?: components["schemas"]["ValidationError"][];
            metadata?: {
                [key: string]: unknown;
            };
        };
        /** EventAction */
        EventAction: {
            /**
             * @description Selects the object of the same name
             * @enum {string}
             */
            action: "start_workflow" | "complete_task" | "fail_task" | "terminate_workflow" | "update_workflow_variables";
            /** @description A start: name, version, correlationId, input, taskToDomain, idempotencyKey ... */
            start_workflow?: {
                [key: string]: unknown;
            };
            complete_task?: components["schemas"]["EventTaskDetails"];
            fail_task?: components["schemas"]["EventTaskDetails"];
            terminate_workflow?: components["schemas"]["EventTerminateWorkflow"];
            update_workflow_variables?: components["schemas"]["EventUpdateVariables"];
            /** @description Texts of the message that hold JSON are read as such */
            expandInlineJSON?: boolean;
        };
        /** EventExecution */
        EventExecution: {
            id: string;
            messageId: string;
            /** @description Of the handler */
            name: string;
            event: string;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            created: number;
            /** @enum {string} */
            status: "IN_PROGRESS" | "COMPLETED" | "FAILED" | "SKIPPED";
            statusDescription?: string;
            /** @enum {string} */
            action?: "start_workflow" | "complete_task" | "fail_task" | "terminate_workflow" | "update_workflow_variables";
            output: {
                [key: string]: unknown;
            };
            payload?: {
                [key: string]: unknown;
            };
            fullMessagePayload?: {
                [key: string]: unknown;
            };
            eventHandler?: components["schemas"]["EventHandler"];
        };
        /** EventHandler */
        EventHandler: {
            name: string;
            /** @description provider:queue, or any text that messages are sent under */
            event: string;
            /** @description Script over the message, which is $; absent: always */
            condition?: string;
            /** @description javascript */
            evaluatorType?: string;
            actions: components["schemas"]["EventAction"][];
            /** @default false */
            active: boolean;
            description?: string;
            tags?: components["schemas"]["Tag"][];
            /** @description Id of who created it; absent without authentication */
            createdBy?: string;
            /** @description Whose rights it acts with: who changed it last; absent: who created it */
            actsAs?: string;
        };
        /** EventHandlerRequest */
        EventHandlerRequest: {
            name: string;
            /** @description provider:queue, or any text that messages are sent under */
            event: string;
            /** @description Script over the message, which is $; absent: always */
            condition?: string;
            /** @description javascript */
            evaluatorType?: string;
            actions?: components["schemas"]["EventAction"][];
            /** @default false */
            active: boolean;
            description?: string;
            tags?: components["schemas"]["Tag"][];
        };
        /** EventHandlerTrial */
        EventHandlerTrial: {
            conditionHolds: boolean;
            /** @description What the condition answered */
            conditionValue?: unknown;
            /** @description Why it failed */
            conditionError?: string;
            /** @description Also when the condition does not hold, and none would be carried out */
            actions: components["schemas"]["TriedAction"][];
        };
        /** EventHandlerTrialRequest */
        EventHandlerTrialRequest: {
            handler: components["schemas"]["EventHandlerRequest"];
            /** @description An example; a text is what would be published */
            message: unknown;
        };
        /** EventLog */
        EventLog: {
            id?: string;
            event?: string;
            /** @enum {string} */
            eventType?: "SEND" | "RECEIVE";
            handlerName?: string;
            taskId?: string;
            workerId?: string;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createdAt?: number;
        };
        /** EventMessage */
        EventMessage: {
            id: string;
            eventTarget: string;
            /** @enum {string} */
            eventType: "WEBHOOK" | "MESSAGE";
            /** @enum {string} */
            status: "RECEIVED" | "HANDLED" | "REJECTED";
            statusDescription?: string;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createdAt: number;
            /** @description JSON text; cut when it is long */
            payload: string;
            fullPayload?: {
                [key: string]: unknown;
            };
            eventExecutions: components["schemas"]["EventExecution"][];
        };
        /** EventSource */
        EventSource: {
            /** @description The handler, or the event where the broker shares its messages among readers */
            id: string;
            event: string;
            /** @description Event handlers that get the messages */
            handlers: string[];
            /** @description Node that takes the messages */
            node: string;
            /** @enum {string} */
            status: "CONNECTING" | "CONNECTED" | "UNREACHABLE";
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            since: number;
            /** @description Why the broker is not reached */
            reason?: string;
            /** @description Settings of the queue configuration that have no effect */
            unusedSettings: string[];
        };
        /** EventTaskDetails */
        EventTaskDetails: {
            workflowId?: string;
            taskRefName?: string;
            /** @description In place of workflowId and taskRefName */
            taskId?: string;
            output?: {
                [key: string]: unknown;
            };
            outputMessage?: {
                [key: string]: unknown;
            };
            reasonForIncompletion?: string;
        };
        /** EventTerminateWorkflow */
        EventTerminateWorkflow: {
            workflowId: string;
            terminationReason?: string;
        };
        /** EventUpdateVariables */
        EventUpdateVariables: {
            workflowId: string;
            variables: {
                [key: string]: unknown;
            };
            /** @description Values are added to lists that are there */
            appendArray?: boolean;
        };
        /** ExecutionSeries */
        ExecutionSeries: {
            /** @description In each step; null: not counted then */
            started: (number | null)[];
            /** @description In each step; null: not counted then */
            completed: (number | null)[];
            /** @description In each step; null: not counted then */
            failed: (number | null)[];
            /** @description In each step; null: not counted then */
            timedOut: (number | null)[];
            /** @description In each step; null: not counted then */
            terminated: (number | null)[];
        };
        /** ExplainedRight */
        ExplainedRight: {
            /** @enum {string} */
            right: "CREATE" | "READ" | "EXECUTE" | "UPDATE" | "DELETE";
            /** @description Whether it is held */
            held: boolean;
            /** @description Roles and grants that give it */
            by: components["schemas"]["RightSource"][];
        };
        /** ExtendedSecret */
        ExtendedSecret: {
            /** @description Letters, digits, _ and - */
            name: string;
            tags: components["schemas"]["Tag"][];
        };
        /** ExternalStorageLocation */
        ExternalStorageLocation: {
            /** @description Key of the payload in the store */
            path: string;
            /** @description Where to PUT or GET it; absent without a store */
            uri?: string;
        };
        /** FailedRedelivery */
        FailedRedelivery: {
            id: string;
            reason: string;
        };
        /** FailureGroup */
        FailureGroup: {
            /** @description The same for failures of one cause */
            fingerprint: string;
            /** @description Name of the definition */
            workflowType: string;
            /** @description Reference name of the task that failed; empty when none did */
            ref: string;
            /** @description Reason of the newest one */
            sample: string;
            /** @description Newest first, at most 500 */
            workflowIds: string[];
            /** @description Executions */
            count: number;
            /** @description How many ended in each twelfth of the window, oldest first */
            trend: number[];
            /**
             * Format: int64
             * @description End of the first one, epoch milliseconds
             */
            firstTime: number;
            /**
             * Format: int64
             * @description End of the last one, epoch milliseconds
             */
            lastTime: number;
        };
        /** FailureGroups */
        FailureGroups: {
            /** @description Largest first */
            groups: components["schemas"]["FailureGroup"][];
            /** @description Failed executions that were not looked at, as there are too many; 1 stands for some where the caller may not read all */
            omitted: number;
        };
        /** Features */
        Features: {
            /** @description Version of the server */
            version: string;
            /** @description Durability level in force (invariants section 2) */
            durability: string;
            /** @description Path below which everything is served too; empty for none */
            basePath: string;
            /** @description What the operator calls this environment; empty for nothing */
            environment: string;
            /** @description How one may sign in; none without authentication */
            signIn: ("password" | "key" | "provider")[];
            areas: string[];
            user: components["schemas"]["FeaturesUser"];
        };
        /** FeaturesUser */
        FeaturesUser: {
            /** @description Who asks; empty without authentication */
            id: string;
            /** @description Whether this caller may do everything */
            administrator: boolean;
            /** @description Routes that no role of this caller opens, such as `GET /api/users/:id` */
            closed: string[];
        };
        /** FileDownloadUrlResponse */
        FileDownloadUrlResponse: {
            /** @description conductor://file/ and the id of the file */
            fileHandleId?: string;
            downloadUrl?: string;
            /** @description Epoch ms */
            expiresAt?: number;
        };
        /** FileHandle */
        FileHandle: {
            /** @description conductor://file/ and the id of the file */
            fileHandleId?: string;
            fileName?: string;
            contentType?: string;
            /** @description Bytes */
            fileSize?: number;
            /** @description As the store makes it */
            contentHash?: string;
            /** @enum {string} */
            storageType?: "CONDUCTOR" | "S3";
            /** @enum {string} */
            uploadStatus?: "UPLOADING" | "UPLOADED";
            /** @description Its owner */
            workflowId?: string;
            taskId?: string;
            /** @description Epoch ms */
            createdAt?: number;
            /** @description Epoch ms */
            updatedAt?: number;
        };
        /** FileUploadCompleteResponse */
        FileUploadCompleteResponse: {
            /** @description conductor://file/ and the id of the file */
            fileHandleId?: string;
            /** @enum {string} */
            uploadStatus?: "UPLOADING" | "UPLOADED";
            contentHash?: string;
        };
        /** FileUploadRequest */
        FileUploadRequest: {
            /** @description The execution that owns the file */
            workflowId: string;
            fileName?: string;
            contentType?: string;
            taskId?: string;
        };
        /** FileUploadResponse */
        FileUploadResponse: {
            /** @description conductor://file/ and the id of the file */
            fileHandleId?: string;
            fileName?: string;
            contentType?: string;
            /** @enum {string} */
            storageType?: "CONDUCTOR" | "S3";
            /** @enum {string} */
            uploadStatus?: "UPLOADING" | "UPLOADED";
            /** @description Where to PUT the content */
            uploadUrl?: string;
            /** @description Epoch ms */
            uploadUrlExpiresAt?: number;
            /** @description Epoch ms */
            createdAt?: number;
            workflowId?: string;
        };
        /** FileUploadUrlResponse */
        FileUploadUrlResponse: {
            /** @description conductor://file/ and the id of the file */
            fileHandleId?: string;
            uploadUrl?: string;
            /** @description Epoch ms */
            expiresAt?: number;
        };
        /** FleetWorker */
        FleetWorker: {
            /** @description Empty for those that give none */
            workerId: string;
            /** @description Where it polls from; for administrators only */
            addresses?: string[];
            /** @description What its clients call themselves */
            clients: string[];
            queues: components["schemas"]["WorkerQueue"][];
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            lastPollTime: number;
            /** @description Tasks that it holds; absent when too many are held to count */
            inFlight?: number;
            /** @description Its reports of tasks that ended within the last hour; absent when it polls queues that the caller may not see */
            reported?: number;
            /** @description Those of failures */
            failed?: number;
            /** @description Nodes that it polls */
            nodes: string[];
        };
        /** FsckReport */
        FsckReport: {
            violations: components["schemas"]["Violation"][];
            /** @description What was inspected, by check */
            inspected: {
                [key: string]: number;
            };
            /** @description Differences of the first pass that were gone at the second */
            passing: number;
            /** @description False when time or room ended before the walk did */
            complete: boolean;
        };
        /** Grant */
        Grant: {
            target: components["schemas"]["TargetRef"];
            access: ("CREATE" | "READ" | "EXECUTE" | "UPDATE" | "DELETE")[];
        };
        /** GrantedAccess */
        GrantedAccess: {
            target: components["schemas"]["TargetRef"];
            access: ("CREATE" | "READ" | "EXECUTE" | "UPDATE" | "DELETE")[];
            /** @description Tag that it comes through */
            tag?: string;
        };
        /** GrantedAccessResponse */
        GrantedAccessResponse: {
            grantedAccess: components["schemas"]["GrantedAccess"][];
        };
        /** Group */
        Group: {
            id: string;
            /** @description For people */
            description: string;
            roles: components["schemas"]["Role"][];
            /** @description Rights on what members create, by type */
            defaultAccess: {
                [key: string]: ("CREATE" | "READ" | "EXECUTE" | "UPDATE" | "DELETE")[];
            };
            contactInformation?: {
                [key: string]: unknown;
            };
        };
        /** HandledEvent */
        HandledEvent: {
            /** @description Of the handler */
            name: string;
            event: string;
            active: boolean;
            numberOfActions: number;
            /** @description Messages of the event that are kept */
            numberOfMessages: number;
        };
        /** HandledEvents */
        HandledEvents: {
            totalHits: number;
            results: components["schemas"]["HandledEvent"][];
        };
        /** Health */
        Health: {
            /** @description Always empty */
            healthResults?: unknown[];
            /** @description Always empty */
            suppressedHealthResults?: unknown[];
            /** @description Whether the server can serve */
            healthy: boolean;
            details?: components["schemas"]["HealthDetails"];
        };
        /** HealthDetails */
        HealthDetails: {
            /** @description What is lost when Redis dies */
            durability?: string;
            /** @description Id of the node */
            node?: string;
            /** @description Why it cannot serve */
            why?: string;
            /** @description Executions that this node has set aside */
            quarantinedExecutions?: number;
            /** @description Loops of this node that wake by themselves */
            jobs?: components["schemas"]["JobState"][];
            /** @description Loops of this node that do not come round */
            silentLoops?: string[];
            /** @description Processes of this start, where it runs several */
            processes?: components["schemas"]["ProcessHealth"][];
            /** @description Connections to brokers that are down */
            unreachableBrokers?: number;
        };
        /** HistoryEntry */
        HistoryEntry: {
            /** @description Number of the entry, from 1; a gap at the begin: older ones are gone */
            revision: number;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            time: number;
            /** @description Id of who did it; empty while authentication is off */
            actor: string;
            /** @description What kind of identity that is: local, user, application or system */
            actorKind: string;
            /** @description What was done, such as `pause`, `retry`, `skip-task`; `event-refused`: a sink got no event */
            action: string;
            /** @description The task that it was about */
            taskId?: string;
            /** @description In the actor's words */
            reason?: string;
            /** @description What was given: flags and names; of payloads the names of their members only */
            changes?: {
                [key: string]: unknown;
            };
        };
        /** HumanTaskAssignment */
        HumanTaskAssignment: {
            assignee: components["schemas"]["HumanTaskUser"];
            /** @description 0: no limit */
            slaMinutes?: number;
        };
        /** HumanTaskDefinition */
        HumanTaskDefinition: {
            displayName: string;
            assignments: components["schemas"]["HumanTaskAssignment"][];
            /** @enum {string} */
            assignmentCompletionStrategy: "LEAVE_OPEN" | "TERMINATE";
            taskTriggers: components["schemas"]["HumanTaskTrigger"][];
            userFormTemplate?: components["schemas"]["UserFormReference"];
            fullTemplate?: components["schemas"]["HumanTaskTemplate"];
        };
        /** HumanTaskEntry */
        HumanTaskEntry: {
            taskId: string;
            /** @enum {string} */
            state: "PENDING" | "ASSIGNED" | "IN_PROGRESS" | "COMPLETED" | "TIMED_OUT" | "DELETED";
            displayName: string;
            definitionName: string;
            workflowId: string;
            workflowName: string;
            /** @description Business key of the execution; absent: it has none */
            correlationId?: string;
            taskRefName?: string;
            assignee?: components["schemas"]["HumanTaskUser"];
            claimant?: components["schemas"]["HumanTaskUser"];
            humanTaskDef?: components["schemas"]["HumanTaskDefinition"];
            input: {
                [key: string]: unknown;
            };
            output?: {
                [key: string]: unknown;
            };
            createdBy?: string;
            updatedBy?: string;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createdOn?: number;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            updatedOn?: number;
            /**
             * Format: int64
             * @description When it is due: the end of the limit of its assignment or of a time-out of its own; absent: never, or it has ended
             */
            dueTime?: number;
        };
        /** HumanTaskIndexRebuilt */
        HumanTaskIndexRebuilt: Record<string, never>;
        /** HumanTaskSearch */
        HumanTaskSearch: {
            /** @enum {string} */
            searchType?: "ADMIN" | "INBOX";
            start?: number;
            size?: number;
            states?: ("PENDING" | "ASSIGNED" | "IN_PROGRESS" | "COMPLETED" | "TIMED_OUT" | "DELETED")[];
            assignees?: components["schemas"]["HumanTaskUser"][];
            claimants?: components["schemas"]["HumanTaskUser"][];
            definitionNames?: string[];
            displayNames?: string[];
            taskRefNames?: string[];
            workflowIds?: string[];
            workflowNames?: string[];
            /** @description Words over input and output, with AND and OR */
            fullTextQuery?: string;
            /** @description FIELD = VALUE, FIELD IN (v1, v2), with AND and OR */
            taskInputQuery?: string;
            /** @description As taskInputQuery */
            taskOutputQuery?: string;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            updateStartTime?: number;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            updateEndTime?: number;
            /**
             * @description Newest change first when absent; dueTime:ASC: those without behind
             * @enum {string}
             */
            sort?: "updatedOn:DESC" | "dueTime:ASC";
        };
        /** HumanTaskSearchResult */
        HumanTaskSearchResult: {
            totalHits: number;
            results: components["schemas"]["HumanTaskEntry"][];
            /** @description Entries of this page */
            hits: number;
            start: number;
            pageSizeLimit: number;
        };
        /** HumanTaskTemplate */
        HumanTaskTemplate: {
            name: string;
            version: number;
            /** @description JSON Schema, draft-07 */
            jsonSchema: {
                [key: string]: unknown;
            };
            /** @description Layout; kept as sent */
            templateUI: {
                [key: string]: unknown;
            };
            ownerApp?: string;
            tags?: components["schemas"]["Tag"][];
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createTime: number;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            updateTime: number;
            createdBy?: string;
            updatedBy?: string;
        };
        /** HumanTaskTemplateRequest */
        HumanTaskTemplateRequest: {
            name: string;
            /** @description Absent or 0: the newest, or the one behind it */
            version?: number;
            /** @description JSON Schema, draft-07 */
            jsonSchema: {
                [key: string]: unknown;
            };
            /** @description Layout; kept as sent */
            templateUI: {
                [key: string]: unknown;
            };
            ownerApp?: string;
            tags?: components["schemas"]["Tag"][];
        };
        /** HumanTaskTrigger */
        HumanTaskTrigger: {
            /** @enum {string} */
            triggerType: "PENDING" | "ASSIGNED" | "IN_PROGRESS" | "COMPLETED" | "TIMED_OUT" | "ASSIGNEE_CHANGED" | "CLAIMANT_CHANGED";
            startWorkflowRequest: {
                [key: string]: unknown;
            };
        };
        /** HumanTaskUser */
        HumanTaskUser: {
            /** @enum {string} */
            userType: "EXTERNAL_USER" | "EXTERNAL_GROUP" | "CONDUCTOR_USER" | "CONDUCTOR_GROUP";
            /** @description Id of a user, name of a group */
            user: string;
        };
        /** ImportExecutionRequest */
        ImportExecutionRequest: {
            /** @description Address of the other server */
            from: string;
            execution: {
                [key: string]: unknown;
            };
        };
        /** ImportedExecution */
        ImportedExecution: {
            /** @description Its id here */
            workflowId: string;
            /** @description False: it was imported before, and stays as it is */
            isNew: boolean;
        };
        /** ImportedFrom */
        ImportedFrom: {
            /** @description Its id at the other server */
            workflowId: string;
            /** @description Address of the other server */
            from: string;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            importedAt: number;
        };
        /** Integration */
        Integration: {
            name: string;
            /** @description Such as openai, anthropic, pgvectordb, postgres */
            type?: string;
            /** @enum {string} */
            category: "API" | "AI_MODEL" | "VECTOR_DB" | "RELATIONAL_DB" | "MESSAGE_BROKER" | "GIT" | "EMAIL" | "MCP" | "CLOUD" | "EVENT_SOURCE";
            description?: string;
            /** @default true */
            enabled: boolean;
            /** @description Secrets are answered as ***; *** keeps one */
            configuration: {
                [key: string]: unknown;
            };
            tags?: components["schemas"]["Tag"][];
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createTime: number;
            /**
             * Format: int64
             * @description Epoch milliseconds; 0 until it is updated
             */
            updateTime: number;
            /** @description Id of who created it */
            createdBy?: string;
            /** @description Id of who updated it last */
            updatedBy?: string;
            /** @description Models that the caller may read */
            modelsCount?: number;
            apis?: components["schemas"]["IntegrationApi"][];
        };
        /** IntegrationApi */
        IntegrationApi: {
            description?: string;
            /** @default true */
            enabled: boolean;
            /** @description Secrets are answered as ***; *** keeps one */
            configuration: {
                [key: string]: unknown;
            };
            tags?: components["schemas"]["Tag"][];
            /** @description Tokens that the model may use in a period; 0: any number */
            maxTokens?: number;
            /**
             * @description Absent: daily
             * @enum {string}
             */
            frequency?: "daily" | "weekly" | "monthly";
            integrationName: string;
            /** @description As the provider calls it */
            api: string;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createTime: number;
            /**
             * Format: int64
             * @description Epoch milliseconds; 0 until it is updated
             */
            updateTime: number;
            /** @description Id of who created it */
            createdBy?: string;
            /** @description Id of who updated it last */
            updatedBy?: string;
        };
        /** IntegrationApiRequest */
        IntegrationApiRequest: {
            description?: string;
            enabled?: boolean;
            /** @description Secrets are answered as ***; *** keeps one */
            configuration?: {
                [key: string]: unknown;
            };
            tags?: components["schemas"]["Tag"][];
            /** @description Tokens that the model may use in a period; 0: any number */
            maxTokens?: number;
            /**
             * @description Absent: daily
             * @enum {string}
             */
            frequency?: "daily" | "weekly" | "monthly";
        };
        /** IntegrationDef */
        IntegrationDef: {
            name: string;
            type?: string;
            category?: string;
            categoryLabel?: string;
            description?: string;
            enabled?: boolean;
            iconName?: string;
            tags?: string[];
            configuration?: {
                [key: string]: unknown;
            }[];
            apis?: {
                [key: string]: unknown;
            }[];
        };
        /** IntegrationUpdate */
        IntegrationUpdate: {
            /** @description Such as openai, anthropic, pgvectordb, postgres */
            type?: string;
            /** @enum {string} */
            category?: "API" | "AI_MODEL" | "VECTOR_DB" | "RELATIONAL_DB" | "MESSAGE_BROKER" | "GIT" | "EMAIL" | "MCP" | "CLOUD" | "EVENT_SOURCE";
            description?: string;
            enabled?: boolean;
            /** @description Secrets are answered as ***; *** keeps one */
            configuration?: {
                [key: string]: unknown;
            };
            tags?: components["schemas"]["Tag"][];
        };
        /** JobState */
        JobState: {
            /** @description Name of the job */
            name: string;
            /** @description node, owner (of shards) or leader */
            runsOn: string;
            /** @description From the end of a run to the next one, ms */
            everyMs: number;
            /** @description Runs that ended since it was started */
            runs: number;
            /** @description Those that failed */
            failures: number;
            /** @description End of the last run, epoch ms */
            lastRunTime?: number;
            /** @description Kind of the last error; the log of the node has its sentence */
            lastError?: string;
        };
        /** LoopLag */
        LoopLag: {
            /** @description Half of the timers came no later; milliseconds */
            p50: number;
            /** @description 99 of 100 came no later */
            p99: number;
            /** @description The latest one */
            max: number;
        };
        /** MaskedSecret */
        MaskedSecret: {
            /** @description Name */
            name: string;
            /** @description Always ***: no part of a value is shown */
            partial: string;
        };
        /** Message */
        Message: {
            /** @description What was done */
            message: string;
        };
        /** MessageTemplate */
        MessageTemplate: {
            name: string;
            version: number;
            /** @description With placeholders ${name} */
            template: string;
            description: string;
            /** @description provider:model, or a text without a colon */
            integrations: string[];
            temperature?: number;
            topP?: number;
            /** @enum {string} */
            responseFormat?: "text" | "json";
            stopWords?: string[];
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createTime: number;
            /**
             * Format: int64
             * @description Epoch milliseconds; 0 until it is updated
             */
            updateTime: number;
            /** @description Id of who created it */
            createdBy?: string;
            /** @description Id of who updated it last */
            updatedBy?: string;
            /** @description Names of the placeholders */
            variables: string[];
            tags: components["schemas"]["Tag"][];
        };
        /** MessageTemplateRequest */
        MessageTemplateRequest: {
            name: string;
            /** @description The version to write */
            version?: number;
            /** @description With placeholders ${name} */
            template: string;
            description?: string;
            /** @description provider:model, or a text without a colon */
            integrations?: string[];
            temperature?: number;
            topP?: number;
            /** @enum {string} */
            responseFormat?: "text" | "json";
            stopWords?: string[];
        };
        /** MultipartCompleteRequest */
        MultipartCompleteRequest: {
            partETags: string[];
        };
        /** MultipartInitResponse */
        MultipartInitResponse: {
            /** @description conductor://file/ and the id of the file */
            fileHandleId?: string;
            uploadId?: string;
        };
        /** NodeReport */
        NodeReport: {
            nodeId: string;
            /**
             * Format: int64
             * @description When the node told this, epoch milliseconds
             */
            reportTime: number;
            /**
             * Format: int64
             * @description When its process started
             */
            startTime: number;
            /** @description Of one core */
            processorPercent: number;
            /** @description Memory of the process */
            residentBytes: number;
            /** @description Heap in use */
            heapBytes: number;
            /** @description What the heap may grow to */
            heapLimitBytes: number;
            loopLagMs: components["schemas"]["LoopLag"];
            /** @description Executions in memory */
            executions: number;
            /** @description Polls that wait */
            parkedPolls: number;
            storeMs?: components["schemas"]["StoreTimes"];
            /** @description Workers that polled it within the last hour */
            workers: number;
        };
        /** OrkesCircuitBreakerConfig */
        OrkesCircuitBreakerConfig: {
            /** @description Percent */
            failureRateThreshold?: number;
            slidingWindowSize?: number;
            minimumNumberOfCalls?: number;
            /** @description Milliseconds */
            waitDurationInOpenState?: number;
            permittedNumberOfCallsInHalfOpenState?: number;
            /** @description Percent */
            slowCallRateThreshold?: number;
            /** @description Milliseconds */
            slowCallDurationThreshold?: number;
            /** @default true */
            automaticTransitionFromOpenToHalfOpenEnabled: boolean;
            /** @description Milliseconds */
            maxWaitDurationInHalfOpenState?: number;
        };
        /** OutgoingDeadLetter */
        OutgoingDeadLetter: {
            deliveryId: string;
            /** @enum {string} */
            eventType: "WORKFLOW_STARTED" | "WORKFLOW_RERAN" | "WORKFLOW_RETRIED" | "WORKFLOW_PAUSED" | "WORKFLOW_RESUMED" | "WORKFLOW_RESTARTED" | "WORKFLOW_COMPLETED" | "WORKFLOW_TERMINATED" | "WORKFLOW_FINALIZED" | "TASK_SCHEDULED" | "TASK_IN_PROGRESS" | "TASK_COMPLETED" | "TASK_CANCELED" | "TASK_FAILED" | "TASK_FAILED_WITH_TERMINAL_ERROR" | "TASK_TIMED_OUT" | "HUMAN_TASK_PENDING" | "HUMAN_TASK_ASSIGNED" | "HUMAN_TASK_IN_PROGRESS" | "HUMAN_TASK_COMPLETED" | "HUMAN_TASK_TIMED_OUT" | "HUMAN_TASK_DELETED";
            /** @description JSON text that was sent */
            body: string;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createdAt: number;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            diedAt: number;
            attempts: number;
            lastError: string;
        };
        /** OutgoingDeliveries */
        OutgoingDeliveries: {
            /** @description Deliveries on their way */
            waiting: number;
            /** @description Newest first */
            attempts: components["schemas"]["OutgoingDeliveryAttempt"][];
        };
        /** OutgoingDeliveryAttempt */
        OutgoingDeliveryAttempt: {
            /** @description Header webhook-id of the delivery */
            deliveryId: string;
            /** @enum {string} */
            eventType: "WORKFLOW_STARTED" | "WORKFLOW_RERAN" | "WORKFLOW_RETRIED" | "WORKFLOW_PAUSED" | "WORKFLOW_RESUMED" | "WORKFLOW_RESTARTED" | "WORKFLOW_COMPLETED" | "WORKFLOW_TERMINATED" | "WORKFLOW_FINALIZED" | "TASK_SCHEDULED" | "TASK_IN_PROGRESS" | "TASK_COMPLETED" | "TASK_CANCELED" | "TASK_FAILED" | "TASK_FAILED_WITH_TERMINAL_ERROR" | "TASK_TIMED_OUT" | "HUMAN_TASK_PENDING" | "HUMAN_TASK_ASSIGNED" | "HUMAN_TASK_IN_PROGRESS" | "HUMAN_TASK_COMPLETED" | "HUMAN_TASK_TIMED_OUT" | "HUMAN_TASK_DELETED";
            /** @description 1 for the first; 0: none was made */
            attempt: number;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            time: number;
            durationMs: number;
            /** @description HTTP status of the answer; 0: there was none */
            status: number;
            /** @enum {string} */
            outcome: "DELIVERED" | "RETRY" | "DEAD";
            /** @description Why it failed */
            error: string;
        };
        /** OutgoingRedelivered */
        OutgoingRedelivered: {
            /** @description Deliveries that are sent anew */
            redelivered: number;
        };
        /** OutgoingWebhook */
        OutgoingWebhook: {
            name: string;
            /** @description Address that is told, with http:// or https:// */
            url: string;
            /** @description What it is told of */
            events: ("WORKFLOW_STARTED" | "WORKFLOW_RERAN" | "WORKFLOW_RETRIED" | "WORKFLOW_PAUSED" | "WORKFLOW_RESUMED" | "WORKFLOW_RESTARTED" | "WORKFLOW_COMPLETED" | "WORKFLOW_TERMINATED" | "WORKFLOW_FINALIZED" | "TASK_SCHEDULED" | "TASK_IN_PROGRESS" | "TASK_COMPLETED" | "TASK_CANCELED" | "TASK_FAILED" | "TASK_FAILED_WITH_TERMINAL_ERROR" | "TASK_TIMED_OUT" | "HUMAN_TASK_PENDING" | "HUMAN_TASK_ASSIGNED" | "HUMAN_TASK_IN_PROGRESS" | "HUMAN_TASK_COMPLETED" | "HUMAN_TASK_TIMED_OUT" | "HUMAN_TASK_DELETED")[];
            /** @description Names of workflow definitions; empty: all */
            workflowNames: string[];
            /** @description Tags of the definition, one of which it carries */
            workflowTags: components["schemas"]["Tag"][];
            /** @description Names of task definitions, for events of tasks; empty: all */
            taskNames: string[];
            /**
             * @description False: it is told nothing more
             * @default true
             */
            active: boolean;
            /** @description Attempts before a delivery is given up */
            attemptsMax: number;
            /** @description Pause before the second attempt, doubled for each further one */
            retryDelayMs: number;
            /** @description Sent with each delivery; values are masked in all answers */
            headers: {
                [key: string]: string;
            };
            /**
             * Format: password
             * @description Key of the signatures: whsec_ and base64, or a text; drawn when absent; masked in all answers but that of the creation
             */
            secretValue?: string;
            id: string;
            createdBy: string;
            /** @description Whose rights it acts with: who changed it last; absent: who created it */
            actsAs?: string;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createdAt: number;
        };
        /** OutgoingWebhookRequest */
        OutgoingWebhookRequest: {
            name: string;
            /** @description Address that is told, with http:// or https:// */
            url: string;
            /** @description What it is told of */
            events: ("WORKFLOW_STARTED" | "WORKFLOW_RERAN" | "WORKFLOW_RETRIED" | "WORKFLOW_PAUSED" | "WORKFLOW_RESUMED" | "WORKFLOW_RESTARTED" | "WORKFLOW_COMPLETED" | "WORKFLOW_TERMINATED" | "WORKFLOW_FINALIZED" | "TASK_SCHEDULED" | "TASK_IN_PROGRESS" | "TASK_COMPLETED" | "TASK_CANCELED" | "TASK_FAILED" | "TASK_FAILED_WITH_TERMINAL_ERROR" | "TASK_TIMED_OUT" | "HUMAN_TASK_PENDING" | "HUMAN_TASK_ASSIGNED" | "HUMAN_TASK_IN_PROGRESS" | "HUMAN_TASK_COMPLETED" | "HUMAN_TASK_TIMED_OUT" | "HUMAN_TASK_DELETED")[];
            /** @description Names of workflow definitions; empty: all */
            workflowNames?: string[];
            /** @description Tags of the definition, one of which it carries */
            workflowTags?: components["schemas"]["Tag"][];
            /** @description Names of task definitions, for events of tasks; empty: all */
            taskNames?: string[];
            /**
             * @description False: it is told nothing more
             * @default true
             */
            active: boolean;
            /** @description Attempts before a delivery is given up */
            attemptsMax?: number;
            /** @description Pause before the second attempt, doubled for each further one */
            retryDelayMs?: number;
            /** @description Sent with each delivery; values are masked in all answers */
            headers?: {
                [key: string]: string;
            };
            /**
             * Format: password
             * @description Key of the signatures: whsec_ and base64, or a text; drawn when absent; masked in all answers but that of the creation
             */
            secretValue?: string;
        };
        /** OutlineTasks */
        OutlineTasks: {
            /** @description Names of the values of a row, in order */
            columns: ("taskId" | "referenceTaskName" | "taskType" | "taskDefName" | "status" | "scheduledTime" | "startTime" | "endTime" | "retryCount" | "retried" | "iteration" | "workerId" | "domain" | "subWorkflowId" | "reasonForIncompletion" | "startDelaySeconds")[];
            rows: (string | number | boolean | null)[][];
        };
        /** OverdueTimer */
        OverdueTimer: {
            /** @description Id of the execution */
            workflowId: string;
            /** @description Its definition; empty when its record cannot be read */
            workflowName: string;
            /**
             * Format: int64
             * @description When it was due, epoch milliseconds
             */
            dueTime: number;
        };
        /** OverdueTimers */
        OverdueTimers: {
            /** @description Timers that should have been carried out */
            count: number;
            /** @description Those that have been due for longest, at most 100 */
            timers: components["schemas"]["OverdueTimer"][];
        };
        /** Overview */
        Overview: {
            counts: components["schemas"]["StatusCounts"];
            started: components["schemas"]["StatusCounts"];
            perMinute: components["schemas"]["WorkflowCounts"];
            /** @description What needs attention */
            attention: components["schemas"]["Attention"][];
            store?: components["schemas"]["StoreUsage"];
        };
        /** PageError */
        PageError: {
            /**
             * @description script: not caught; promise: a rejection not caught; policy: refused
             * @enum {string}
             */
            kind: "script" | "promise" | "policy";
            /** @description Cut after 500 characters */
            message: string;
            /** @description Script and line, or what was refused; cut after 300 characters */
            source?: string;
            /** @description Of the page, without its query; cut after 300 characters */
            path?: string;
        };
        /** Performance */
        Performance: {
            /**
             * Format: int64
             * @description Since when events are counted, at most for seven days
             */
            countedSince: number;
            /** @description Begins of the steps of trends */
            times: number[];
            /** @description Most events first */
            workflows: components["schemas"]["WorkflowPerformance"][];
            /** @description Most events first */
            tasks: components["schemas"]["TaskPerformance"][];
        };
        /** Permission */
        Permission: {
            /** @description Name */
            name: string;
        };
        /** Plugin */
        Plugin: {
            name: string;
            /**
             * @description failed: it is installed and cannot be used; absent: it is not installed
             * @enum {string}
             */
            state: "used" | "failed" | "absent";
            /** @description Of its package, where it is used */
            version?: string;
            /** @description Task types, events, stores, documents and routes */
            brings: string[];
            /** @description The command that installs it, where it is absent */
            install?: string;
            /** @description Why it is not used, or what it says is wrong */
            trouble?: string;
            /** @description Of one that is used */
            settings: components["schemas"]["PluginSetting"][];
        };
        /** PluginSetting */
        PluginSetting: {
            /** @description As it is given, without -- */
            name: string;
            /** @description Its meaning */
            about: string;
            default: string;
            /** @description In force; absent where it is secret */
            value?: string;
        };
        /** PollData */
        PollData: {
            /** @description Task type */
            queueName: string;
            /** @description Domain; absent for none */
            domain?: string;
            /** @description Who polled last */
            workerId?: string;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            lastPollTime: number;
        };
        /** ProcessHealth */
        ProcessHealth: {
            /** @description Id of its node */
            node: string;
            /** @description Whether it can serve */
            healthy: boolean;
            /** @description Why it cannot, or that it does not answer */
            why?: string;
        };
        /** PromptTemplateTestRequest */
        PromptTemplateTestRequest: {
            llmProvider: string;
            model: string;
            /** @description With placeholders ${name} */
            prompt: string;
            promptVariables?: {
                [key: string]: unknown;
            };
            temperature?: number;
            topP?: number;
            /** @description 0: as many as the provider gives */
            maxTokens?: number;
            stopWords?: string[];
            /** @enum {string} */
            response_format?: "text" | "json";
        };
        /** ProtoRegistryEntry */
        ProtoRegistryEntry: {
            serviceName: string;
            filename: string;
            /** @description Base64 */
            data: string;
        };
        /** ProviderLink */
        ProviderLink: {
            /** @description Id of the user */
            id: string;
            /** @enum {string} */
            state: "NONE" | "ALLOWED" | "LINKED";
            /** @description Administrator who has allowed it */
            by?: string;
            /** @description Provider */
            issuer?: string;
            /** @description Identity of that provider */
            subject?: string;
            /**
             * Format: int64
             * @description Since when
             */
            at?: number;
        };
        /** Quarantine */
        Quarantine: {
            executions: components["schemas"]["QuarantinedExecution"][];
        };
        /** QuarantinedExecution */
        QuarantinedExecution: {
            workflowId: string;
            /** @description Nodes that died when they loaded it */
            deaths: number;
        };
        /** QueueCounts */
        QueueCounts: {
            /** @description Tasks that went into the queue, again ones included */
            scheduled: number;
            /** @description Tasks that were handed to workers */
            handedOut: number;
            /** @description Tasks that completed */
            completed: number;
            /** @description Attempts that failed or timed out */
            failed: number;
        };
        /** QueueEventSeries */
        QueueEventSeries: {
            /** @description In each step; null: not counted then */
            scheduled: (number | null)[];
            /** @description In each step; null: not counted then */
            handedOut: (number | null)[];
            /** @description In each step; null: not counted then */
            completed: (number | null)[];
            /** @description In each step; null: not counted then */
            failed: (number | null)[];
        };
        /** QueueLimit */
        QueueLimit: {
            /** @description Tasks of the type that run, over all domains */
            used: number;
            /** @description How many may run at once */
            max: number;
        };
        /** QueueParts */
        QueueParts: {
            a: components["schemas"]["QueueSize"];
        };
        /** QueueRates */
        QueueRates: {
            /** @description Task type; empty for further queues */
            taskType: string;
            /** @description Domain; empty for none */
            domain: string;
            total: components["schemas"]["QueueCounts"];
            series: components["schemas"]["QueueEventSeries"];
        };
        /** QueueSeries */
        QueueSeries: {
            /** @description Task type */
            taskType: string;
            /** @description Domain; empty for none */
            domain: string;
            /** @description null where no sample was taken */
            waiting: (number | null)[];
        };
        /** QueueSize */
        QueueSize: {
            /** @description Waiting */
            size?: number;
            /** @description Polled */
            uacked?: number;
        };
        /** QueueStats */
        QueueStats: {
            /** @description Task type */
            taskType: string;
            /** @description Domain; empty for none */
            domain: string;
            /** @description Tasks that wait */
            waiting: number;
            /** @description Tasks that workers hold */
            leased: number;
            /**
             * Format: int64
             * @description Since when the longest waiting task could be handed out; absent when none can
             */
            oldestReadyTime?: number;
            perMinute: components["schemas"]["QueueCounts"];
            runMs?: components["schemas"]["RunTimes"];
            workers: components["schemas"]["QueueWorker"][];
            /** @description Whether the task type has a task definition */
            hasDefinition: boolean;
            limit?: components["schemas"]["QueueLimit"];
            /**
             * @description What holds it up
             * @enum {string}
             */
            kind?: "no-worker" | "other-domain" | "silent-worker" | "limit-full";
            /** @description One sentence over its state */
            reason: string;
            /** @description What would move it on; empty when nothing needs to */
            moves: string;
        };
        /** QueueWaitSeries */
        QueueWaitSeries: {
            /** @description In each step; null: no task was handed out, or not counted then */
            p50: (number | null)[];
            /** @description In each step; null: no task was handed out, or not counted then */
            p95: (number | null)[];
        };
        /** QueueWhy */
        QueueWhy: {
            /** @description Tasks that wait */
            waiting: number;
            /** @description Tasks that workers hold */
            leased: number;
            /** @description One sentence over its state */
            reason: string;
            /** @description What holds it up, and whether it has a definition */
            waitsFor: components["schemas"]["WaitReason"][];
        };
        /** QueueWorker */
        QueueWorker: {
            /** @description Id of the worker */
            workerId: string;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            lastPollTime: number;
            /** @description Tasks of the queue that it holds; absent when workers hold more than are counted */
            leased?: number;
        };
        /** RateLimitConfig */
        RateLimitConfig: {
            /**
             * @description Most executions per key at the same time
             * @default 0
             */
            concurrentExecLimit: number;
            /**
             * @description What happens to a start beyond the limit
             * @enum {string}
             */
            policy?: "QUEUE" | "REJECT";
            /** @description Key whose executions are counted; may hold expressions */
            rateLimitKey?: string;
        };
        /** Rates */
        Rates: {
            /** @description Length of a step */
            stepMs: number;
            /** @description Begins of the steps, whole minutes; the last one goes on */
            times: number[];
            /**
             * Format: int64
             * @description Since when events are counted, at most for seven days
             */
            countedSince: number;
            executions: components["schemas"]["ExecutionSeries"];
            /** @description Over the whole window, most events first */
            workflows: components["schemas"]["WorkflowRates"][];
            /** @description Most events first */
            queues: components["schemas"]["QueueRates"][];
            waitMs: components["schemas"]["QueueWaitSeries"];
        };
        /** Redelivery */
        Redelivery: {
            /** @description Dealt with now, and gone */
            done: string[];
            failed: components["schemas"]["FailedRedelivery"][];
        };
        /** RegisteredSchema */
        RegisteredSchema: {
            name: string;
            version: number;
            /**
             * @description Its language
             * @enum {string}
             */
            type: "JSON" | "AVRO" | "PROTOBUF";
            /** @description The schema document */
            data?: {
                [key: string]: unknown;
            };
            /** @description Where the schema is kept instead */
            externalRef?: string;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createTime: number;
            /**
             * Format: int64
             * @description Epoch milliseconds; 0 until it is updated
             */
            updateTime: number;
            /** @description Id of who created it */
            createdBy?: string;
            /** @description Id of who updated it last */
            updatedBy?: string;
        };
        /** RegisteredSchemaRequest */
        RegisteredSchemaRequest: {
            name: string;
            version?: number;
            /**
             * @description Its language
             * @enum {string}
             */
            type: "JSON" | "AVRO" | "PROTOBUF";
            /** @description The schema document */
            data?: {
                [key: string]: unknown;
            };
            /** @description Where the schema is kept instead */
            externalRef?: string;
        };
        /** RequestParam */
        RequestParam: {
            name: string;
            /** @description Query, Header or Path */
            type?: string;
            /** @default false */
            required: boolean;
            schema?: {
                [key: string]: unknown;
            };
        };
        /** RequeuedSchedules */
        RequeuedSchedules: {
            /** @description How many */
            "recordIds.size": number;
            /** @description Names of some */
            sampleIds: string[];
        };
        /** RerunWorkflowRequest */
        RerunWorkflowRequest: {
            /** @description Ignored: the id in the path counts */
            reRunFromWorkflowId?: string;
            /** @description Task to run again from; absent for the beginning */
            reRunFromTaskId?: string;
            /** @description Replaces the input of that task */
            taskInput?: {
                [key: string]: unknown;
            };
            /** @description Replaces the input of the execution */
            workflowInput?: {
                [key: string]: unknown;
            };
            /** @description Replaces the correlation id */
            correlationId?: string;
        };
        /** ResourceCall */
        ResourceCall: {
            /** @enum {string} */
            method: "GET" | "POST" | "PUT" | "DELETE" | "PATCH";
            /** @description With {variables}: the members of the key, in their order */
            path: string;
            /**
             * @description A list with the record, or its member `value` as a text; absent: the record
             * @enum {string}
             */
            sends?: "list" | "value";
        };
        /** ResourceColumn */
        ResourceColumn: {
            member: string;
            label: string;
        };
        /** Retention */
        Retention: {
            /** @description Seconds */
            retentionSeconds?: number;
            byStatus?: {
                [key: string]: number;
            };
            /** @description By name or name/STATUS: seconds, or seconds by status */
            byDefinition?: {
                [key: string]: number | {
                    [key: string]: number;
                };
            };
            /** @description Whether executions are archived before they go */
            archive?: boolean;
            /** @enum {string} */
            objectStore?: "none" | "folder" | "s3";
        };
        /** RetryWorkflowRequest */
        RetryWorkflowRequest: {
            /** @description Inputs of new attempts, by reference name as the failed records show it; of a SUB_WORKFLOW the input of its child. Each replaces the whole input; values that were shown masked and come back so stay as they are */
            taskInputs?: {
                [key: string]: {
                    [key: string]: unknown;
                };
            };
            /** @description Why, in the words of the caller; counts more than the query parameter */
            reason?: string;
        };
        /** RightSource */
        RightSource: {
            /** @enum {string} */
            kind: "role" | "grant";
            subject: components["schemas"]["SubjectRef"];
            /** @description The role; absent for grants */
            role?: string;
            target?: components["schemas"]["TargetRef"];
        };
        /** Role */
        Role: {
            /** @description Name */
            name: string;
            permissions: components["schemas"]["Permission"][];
        };
        /** RunTimes */
        RunTimes: {
            /** @description Half of them took no longer; milliseconds, to an eighth */
            p50: number;
            /** @description 19 of 20 of them took no longer */
            p95: number;
            /** @description Tasks that ended in this minute and the nine before */
            tasks: number;
        };
        /** ScheduleExecutionSearchResult */
        ScheduleExecutionSearchResult: {
            totalHits: number;
            results: components["schemas"]["WorkflowScheduleExecution"][];
        };
        /** ScheduleOutcome */
        ScheduleOutcome: {
            scheduleName: string;
            /**
             * @description Of what the last run started; FAILED: nothing was started; absent: not known
             * @enum {string}
             */
            status?: "RUNNING" | "PAUSED" | "COMPLETED" | "FAILED" | "TIMED_OUT" | "TERMINATED";
            /** @description The newest runs that failed, without a success between them */
            failuresInRow: number;
            /** @description As many failed as are looked at */
            isMore: boolean;
            /** @description The execution that failed last, else that of the last run */
            workflowId?: string;
            /** @description Why the last failure happened */
            reason?: string;
        };
        /** ScheduleOutcomes */
        ScheduleOutcomes: {
            /** @description Schedules that the caller may read */
            totalHits: number;
            /** @description A schedule that has not run is absent */
            results: components["schemas"]["ScheduleOutcome"][];
        };
        /** ScheduleSearchResult */
        ScheduleSearchResult: {
            totalHits: number;
            results: components["schemas"]["WorkflowSchedule"][];
        };
        /** SchedulerStatus */
        SchedulerStatus: {
            status: string;
        };
        /** SchemaDef */
        SchemaDef: {
            /** @description Name */
            name?: string;
            /** @description Version; the newest one when absent */
            version?: number;
            /**
             * @description Language of the schema
             * @enum {string}
             */
            type?: "JSON" | "AVRO" | "PROTOBUF";
            /** @description The schema document */
            data?: {
                [key: string]: unknown;
            };
            /** @description Where the schema is kept instead */
            externalRef?: string;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createTime?: number;
            /**
             * Format: int64
             * @description Epoch milliseconds; 0 until it is updated
             */
            updateTime?: number;
            /** @description Application that owns it */
            ownerApp?: string;
            /** @description Id of who created it */
            createdBy?: string;
            /** @description Id of who updated it last */
            updatedBy?: string;
        };
        /** SearchResultTask */
        SearchResultTask: {
            /** @description Records that fit */
            totalHits: number;
            results: components["schemas"]["Task"][];
            /** @description Fields of the query that do not exist, whose conditions were ignored; only when there are any */
            ignoredFields?: string[];
        };
        /** SearchResultTaskSummary */
        SearchResultTaskSummary: {
            /** @description Records that fit */
            totalHits: number;
            results: components["schemas"]["TaskSummary"][];
            /** @description Fields of the query that do not exist, whose conditions were ignored; only when there are any */
            ignoredFields?: string[];
        };
        /** SearchResultWorkflow */
        SearchResultWorkflow: {
            /** @description Records that fit */
            totalHits: number;
            results: components["schemas"]["Workflow"][];
            /** @description Fields of the query that do not exist, whose conditions were ignored; only when there are any */
            ignoredFields?: string[];
        };
        /** SearchResultWorkflowSummary */
        SearchResultWorkflowSummary: {
            /** @description Records that fit */
            totalHits: number;
            results: components["schemas"]["WorkflowSummary"][];
            /** @description Fields of the query that do not exist, whose conditions were ignored; only when there are any */
            ignoredFields?: string[];
        };
        /** SecretCacheCleared */
        SecretCacheCleared: {
            message: string;
        };
        /** SentIntegration */
        SentIntegration: {
            name: string;
            /** @description Such as openai, anthropic, pgvectordb, postgres */
            type?: string;
            /** @enum {string} */
            category?: "API" | "AI_MODEL" | "VECTOR_DB" | "RELATIONAL_DB" | "MESSAGE_BROKER" | "GIT" | "EMAIL" | "MCP" | "CLOUD" | "EVENT_SOURCE";
            description?: string;
            enabled?: boolean;
            /** @description Secrets are answered as ***; *** keeps one */
            configuration?: {
                [key: string]: unknown;
            };
            tags?: components["schemas"]["Tag"][];
            apis?: components["schemas"]["SentIntegrationApi"][];
        };
        /** SentIntegrationApi */
        SentIntegrationApi: {
            api: string;
            description?: string;
            enabled?: boolean;
            /** @description Secrets are answered as ***; *** keeps one */
            configuration?: {
                [key: string]: unknown;
            };
            tags?: components["schemas"]["Tag"][];
            /** @description Tokens that the model may use in a period; 0: any number */
            maxTokens?: number;
            /**
             * @description Absent: daily
             * @enum {string}
             */
            frequency?: "daily" | "weekly" | "monthly";
        };
        /** Series */
        Series: {
            /** @description Length of a step, milliseconds; the first one may be shorter */
            stepMs: number;
            /** @description Oldest first */
            times: number[];
            started: components["schemas"]["StartedSeries"];
            /** @description Executions that were not looked at, as there are too many; 1 stands for some where the caller may not read all */
            omitted: number;
            /** @description Fullest first */
            queues: components["schemas"]["QueueSeries"][];
        };
        /** ServerSettings */
        ServerSettings: {
            version: string;
            /** @description When the server was built */
            buildDate?: string;
            /** @description Parts that executions are divided into */
            shards: number;
            /** @description What is lost when Redis dies */
            durability: string;
            /** @description Edition of the rules of time zones, those of Node.js */
            timeZoneData?: string;
        };
        /** ServiceMethod */
        ServiceMethod: {
            /** @description Set by the server; unique within the service */
            id?: number;
            operationName: string;
            /** @description HTTP: the path */
            methodName?: string;
            /** @enum {string} */
            methodType: "GET" | "POST" | "PUT" | "DELETE" | "PATCH" | "UNARY" | "SERVER_STREAMING" | "CLIENT_STREAMING" | "BIDIRECTIONAL_STREAMING";
            inputType?: string;
            outputType?: string;
            requestParams?: components["schemas"]["RequestParam"][];
            exampleInput?: {
                [key: string]: unknown;
            };
            description?: string;
            /** @default false */
            deprecated: boolean;
            accept?: string;
            requestContentType?: string;
            responseContentType?: string;
        };
        /** ServiceRegistry */
        ServiceRegistry: {
            name: string;
            /** @enum {string} */
            type: "HTTP" | "gRPC" | "MCP_REMOTE";
            /** @description HTTP: address of the OpenAPI description */
            serviceURI: string;
            methods: components["schemas"]["ServiceMethod"][];
            requestParams?: components["schemas"]["RequestParam"][];
            circuitBreakerEnabled?: boolean;
            servers?: components["schemas"]["ServiceServer"][];
            useSSL?: boolean;
            trustCert?: boolean;
            config?: components["schemas"]["ServiceRegistryConfig"];
            authMetadata?: components["schemas"]["AuthMetadata"];
        };
        /** ServiceRegistryConfig */
        ServiceRegistryConfig: {
            circuitBreakerConfig?: components["schemas"]["OrkesCircuitBreakerConfig"];
        };
        /** ServiceRegistryRequest */
        ServiceRegistryRequest: {
            name: string;
            /** @enum {string} */
            type: "HTTP" | "gRPC" | "MCP_REMOTE";
            /** @description HTTP: address of the OpenAPI description */
            serviceURI: string;
            methods?: components["schemas"]["ServiceMethod"][];
            requestParams?: components["schemas"]["RequestParam"][];
            circuitBreakerEnabled?: boolean;
            servers?: components["schemas"]["ServiceServer"][];
            useSSL?: boolean;
            trustCert?: boolean;
            config?: components["schemas"]["ServiceRegistryConfig"];
            authMetadata?: components["schemas"]["AuthMetadata"];
        };
        /** ServiceServer */
        ServiceServer: {
            url?: string;
            /** @enum {string} */
            type?: "OPENAPI_SPEC" | "USER_DEFINED";
        };
        /** Session */
        Session: {
            /** @description Id */
            id: string;
            /** @enum {string} */
            kind: "page" | "token";
            /** @description Of the client that signed in */
            address: string;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            startedAt: number;
            /**
             * Format: int64
             * @description When its token ends; absent: never
             */
            until?: number;
            /**
             * Format: int64
             * @description When it was used, as far as that is known
             */
            usedAt: number;
            /** @description Whether it is the one that asks */
            isOwn: boolean;
        };
        /** ShortSchema */
        ShortSchema: {
            name: string;
            version: number;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createTime: number;
            /**
             * Format: int64
             * @description Epoch milliseconds; 0 until it is updated
             */
            updateTime: number;
        };
        /** ShownTask */
        ShownTask: {
            /** @description Id of this attempt */
            taskId: string;
            /** @description Task type */
            taskType: string;
            /** @description Name of the task definition */
            taskDefName?: string;
            /** @description Name within the workflow */
            referenceTaskName: string;
            /** @enum {string} */
            status: "IN_PROGRESS" | "CANCELED" | "FAILED" | "FAILED_WITH_TERMINAL_ERROR" | "COMPLETED" | "COMPLETED_WITH_ERRORS" | "SCHEDULED" | "TIMED_OUT" | "SKIPPED";
            /** @description Id of the execution */
            workflowInstanceId: string;
            /** @description Name of the workflow definition */
            workflowType?: string;
            /** @description Priority of the execution */
            workflowPriority?: number;
            /** @description Correlation id of the execution */
            correlationId?: string;
            inputData?: {
                [key: string]: unknown;
            };
            outputData?: {
                [key: string]: unknown;
            };
            /** @description Number of this attempt, from 0 */
            retryCount?: number;
            /** @description Whether a newer attempt exists */
            retried?: boolean;
            /** @description Id of the attempt before this one */
            retriedTaskId?: string;
            /** @description Position in the execution */
            seq?: number;
            /** @description How often it was polled */
            pollCount?: number;
            /**
             * Format: int64
             * @description Epoch milliseconds; 0 when unset, as for all times here
             */
            scheduledTime?: number;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            startTime?: number;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            endTime?: number;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            updateTime?: number;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            firstStartTime?: number;
            /** @description Delay before it could be polled */
            startDelayInSeconds?: number;
            /** @description Whether the decision has taken note of its end */
            executed?: boolean;
            /** @description Always true */
            callbackFromWorker?: boolean;
            /** @description Seconds before it can be polled again */
            callbackAfterSeconds?: number;
            /** @description Lease of a poll */
            responseTimeoutSeconds?: number;
            /** @description Most starts per window; 0 for no limit */
            rateLimitPerFrequency?: number;
            /** @description Length of the window */
            rateLimitFrequencyInSeconds?: number;
            /** @description Iteration of the loop, from 1; 0 outside of loops */
            iteration?: number;
            /** @description Whether it belongs to a loop */
            loopOverTask?: boolean;
            /** @description Milliseconds between schedule and start */
            queueWaitTime?: number;
            /** @description Whether its child was changed */
            subworkflowChanged?: boolean;
            executionMetadata?: {
                [key: string]: unknown;
            };
            /** @description Worker that has it or had it last */
            workerId?: string;
            /** @description Domain of its queue */
            domain?: string;
            /** @description Why it failed */
            reasonForIncompletion?: string;
            /** @description Id of its child */
            subWorkflowId?: string;
            /** @description Where a large input is kept */
            externalInputPayloadStoragePath?: string;
            /** @description Where a large output is kept */
            externalOutputPayloadStoragePath?: string;
            /** @description Values that its definition names, in answers to polls */
            runtimeMetadata?: {
                [key: string]: string;
            };
            /** @description Namespace of its queue */
            executionNameSpace?: string;
            /** @description Group of its queue */
            isolationGroupId?: string;
            workflowTask?: components["schemas"]["WorkflowTask"];
            taskDefinition?: components["schemas"]["TaskDef"] | null;
            /** @description Members that are absent because they are larger than `bytes`: inputData, outputData, workflowTask, taskDefinition, executionMetadata */
            cut?: {
                [key: string]: components["schemas"]["CutMember"];
            };
        };
        /** SignalResponse */
        SignalResponse: {
            /** @enum {string} */
            responseType: "TARGET_WORKFLOW" | "BLOCKING_WORKFLOW" | "BLOCKING_TASK" | "BLOCKING_TASK_INPUT";
            /** @description Execution that was started or signalled */
            targetWorkflowId: string;
            /** @enum {string} */
            targetWorkflowStatus: "RUNNING" | "PAUSED" | "COMPLETED" | "FAILED" | "TIMED_OUT" | "TERMINATED";
            /** @description Id of the call */
            requestId: string;
            /** @description Whether the time was over before anything was reached */
            signalTimeout?: boolean;
            /** @description Id of the execution that is shown */
            workflowId: string;
            /** @description Correlation id */
            correlationId?: string;
            input?: {
                [key: string]: unknown;
            };
            output?: {
                [key: string]: unknown;
            };
            /** @description From 0 to 99 */
            priority?: number;
            variables?: {
                [key: string]: unknown;
            };
            tasks?: components["schemas"]["Task"][];
            /** @description Who started it */
            createdBy?: string;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createTime?: number;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            updateTime?: number;
            /** @description Status of the execution or of the blocking task */
            status: string;
            /** @description Task form: task type */
            taskType?: string;
            /** @description Task form: id */
            taskId?: string;
            /** @description Task form: name within the workflow */
            referenceTaskName?: string;
            /** @description Task form: name of the task definition */
            taskDefName?: string;
            /** @description Task form: name of the workflow definition */
            workflowType?: string;
            /** @description Task form: number of the attempt */
            retryCount?: number;
            /** @description Task form: id of the attempt before */
            retriedTaskId?: string;
            /** @description Task form: why it failed */
            reasonForIncompletion?: string;
        };
        /** SkipTaskRequest */
        SkipTaskRequest: {
            /** @description Shown as the input of the skipped task */
            taskInput?: {
                [key: string]: unknown;
            };
            /** @description Shown as the output of the skipped task */
            taskOutput?: {
                [key: string]: unknown;
            };
        };
        /** StartWorkflowRequest */
        StartWorkflowRequest: {
            /** @description Name of the definition */
            name: string;
            /** @description Version; absent for the latest */
            version?: number;
            /** @description Correlation id */
            correlationId?: string;
            input?: {
                [key: string]: unknown;
            };
            /** @description Domains by task type; `*` for all types */
            taskToDomain?: {
                [key: string]: string;
            };
            workflowDef?: components["schemas"]["WorkflowDef"];
            /** @description Where a large input is kept, in place of an input */
            externalInputPayloadStoragePath?: string;
            /**
             * @description Priority
             * @default 0
             */
            priority: number;
            /** @description Counts while authentication is off */
            createdBy?: string;
            /** @description Starts with one key are one start */
            idempotencyKey?: string;
            /**
             * @description What an execution with that key means
             * @enum {string}
             */
            idempotencyStrategy?: "FAIL" | "RETURN_EXISTING" | "FAIL_ON_RUNNING";
        };
        /** StartedSeries */
        StartedSeries: {
            RUNNING?: number[];
            PAUSED?: number[];
            COMPLETED?: number[];
            FAILED?: number[];
            TIMED_OUT?: number[];
            TERMINATED?: number[];
        };
        /** StateChangeEvent */
        StateChangeEvent: {
            /** @description Type of the event */
            type?: string;
            payload?: {
                [key: string]: unknown;
            };
        };
        /** StateTaskResult */
        StateTaskResult: {
            /** @description Id of the execution */
            workflowInstanceId?: string;
            /** @description Id of the task */
            taskId?: string;
            /**
             * @description Needed unless only the lease is extended
             * @enum {string}
             */
            status?: "IN_PROGRESS" | "FAILED" | "FAILED_WITH_TERMINAL_ERROR" | "COMPLETED" | "CANCELED";
            outputData?: {
                [key: string]: unknown;
            };
            /** @description Why it failed; 500 characters are kept */
            reasonForIncompletion?: string;
            /** @description With IN_PROGRESS: when it can be polled again */
            callbackAfterSeconds?: number;
            /** @description Who reports */
            workerId?: string;
            /** @description Lines for the log; 10 are kept */
            logs?: components["schemas"]["TaskExecLog"][];
            /** @description Only extend the lease of the poll */
            extendLease?: boolean;
            /** @description Id of a child that the worker started */
            subWorkflowId?: string;
            /** @description Where a large output is kept */
            externalOutputPayloadStoragePath?: string;
            executionMetadata?: {
                [key: string]: unknown;
            };
        };
        /** StatusCounts */
        StatusCounts: {
            /** @description Executions */
            RUNNING?: number;
            /** @description Executions */
            PAUSED?: number;
            /** @description Executions */
            COMPLETED?: number;
            /** @description Executions */
            FAILED?: number;
            /** @description Executions */
            TIMED_OUT?: number;
            /** @description Executions */
            TERMINATED?: number;
        };
        /** StoreTimes */
        StoreTimes: {
            /** @description Half of the answers within the last minute took no longer */
            p50: number;
            /** @description The longest */
            max: number;
        };
        /** StoreUsage */
        StoreUsage: {
            /** @description Memory in use */
            usedBytes: number;
            /** @description Its limit; 0 for none */
            limitBytes: number;
        };
        /** SubWorkflowParams */
        SubWorkflowParams: {
            /** @description Name of the definition */
            name?: string;
            /** @description Version; absent or 0 for the latest */
            version?: number;
            /** @description Domains of its tasks */
            taskToDomain?: {
                [key: string]: string;
            };
            workflowDefinition?: string | components["schemas"]["WorkflowDef"];
            /** @description Key of the start */
            idempotencyKey?: string;
            /**
             * @description What an execution with that key means
             * @enum {string}
             */
            idempotencyStrategy?: "FAIL" | "RETURN_EXISTING" | "FAIL_ON_RUNNING";
            /** @description A number from 0 to 99 or an expression */
            priority?: unknown;
        };
        /** SubjectGrant */
        SubjectGrant: {
            subject: components["schemas"]["SubjectRef"];
            target: components["schemas"]["TargetRef"];
            access: ("CREATE" | "READ" | "EXECUTE" | "UPDATE" | "DELETE")[];
            /** @description Whether the subject has it as the creator */
            isOwner: boolean;
        };
        /** SubjectRef */
        SubjectRef: {
            /** @enum {string} */
            type: "USER" | "GROUP" | "ROLE";
            /** @description User id, group id or role name */
            id: string;
        };
        /** Tag */
        Tag: {
            /** @description Key */
            key: string;
            /** @description A text; a number for a rate limit */
            value: string | number;
            /** @description METADATA or RATE_LIMIT, where it was sent */
            type?: string;
        };
        /** TagCount */
        TagCount: {
            /** @description Key */
            tagKey: string;
            /** @description Value */
            tagValue: string | number;
            /** @enum {string} */
            resourceType: "WORKFLOW_DEF" | "TASK_DEF" | "WORKFLOW_SCHEDULE" | "EVENT_HANDLER" | "APPLICATION" | "SECRET_NAME" | "ENV_VARIABLE" | "INTEGRATION_PROVIDER" | "INTEGRATION" | "PROMPT" | "USER_FORM_TEMPLATE" | "WEBHOOK" | "API_GATEWAY_SERVICE" | "AUTH_CONFIG";
            /** @description Resources of the type that carry the tag */
            countPerResourceType: number;
        };
        /** TaggedResource */
        TaggedResource: {
            /** @description Id */
            id: string;
            /** @description Name to show */
            displayName: string;
        };
        /** TargetRef */
        TargetRef: {
            /** @enum {string} */
            type: "WORKFLOW" | "WORKFLOW_DEF" | "WORKFLOW_SCHEDULE" | "EVENT_HANDLER" | "TASK_DEF" | "TASK_REF_NAME" | "TASK_ID" | "APPLICATION" | "USER" | "GROUP" | "ROLE" | "SECRET_NAME" | "ENV_VARIABLE" | "TAG" | "DOMAIN" | "INTEGRATION_PROVIDER" | "INTEGRATION" | "PROMPT" | "USER_FORM_TEMPLATE" | "SCHEMA" | "CLUSTER_CONFIG" | "WEBHOOK" | "API_GATEWAY_SERVICE" | "API_GATEWAY_SERVICE_ROUTE" | "AUTH_CONFIG" | "SERVICE_REGISTRY";
            /** @description Name or id of the resource */
            id: string;
        };
        /** Task */
        Task: {
            /** @description Id of this attempt */
            taskId: string;
            /** @description Task type */
            taskType: string;
            /** @description Name of the task definition */
            taskDefName?: string;
            /** @description Name within the workflow */
            referenceTaskName: string;
            /** @enum {string} */
            status: "IN_PROGRESS" | "CANCELED" | "FAILED" | "FAILED_WITH_TERMINAL_ERROR" | "COMPLETED" | "COMPLETED_WITH_ERRORS" | "SCHEDULED" | "TIMED_OUT" | "SKIPPED";
            /** @description Id of the execution */
            workflowInstanceId: string;
            /** @description Name of the workflow definition */
            workflowType?: string;
            /** @description Priority of the execution */
            workflowPriority?: number;
            /** @description Correlation id of the execution */
            correlationId?: string;
            inputData?: {
                [key: string]: unknown;
            };
            outputData?: {
                [key: string]: unknown;
            };
            /** @description Number of this attempt, from 0 */
            retryCount?: number;
            /** @description Whether a newer attempt exists */
            retried?: boolean;
            /** @description Id of the attempt before this one */
            retriedTaskId?: string;
            /** @description Position in the execution */
            seq?: number;
            /** @description How often it was polled */
            pollCount?: number;
            /**
             * Format: int64
             * @description Epoch milliseconds; 0 when unset, as for all times here
             */
            scheduledTime?: number;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            startTime?: number;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            endTime?: number;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            updateTime?: number;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            firstStartTime?: number;
            /** @description Delay before it could be polled */
            startDelayInSeconds?: number;
            /** @description Whether the decision has taken note of its end */
            executed?: boolean;
            /** @description Always true */
            callbackFromWorker?: boolean;
            /** @description Seconds before it can be polled again */
            callbackAfterSeconds?: number;
            /** @description Lease of a poll */
            responseTimeoutSeconds?: number;
            /** @description Most starts per window; 0 for no limit */
            rateLimitPerFrequency?: number;
            /** @description Length of the window */
            rateLimitFrequencyInSeconds?: number;
            /** @description Iteration of the loop, from 1; 0 outside of loops */
            iteration?: number;
            /** @description Whether it belongs to a loop */
            loopOverTask?: boolean;
            /** @description Milliseconds between schedule and start */
            queueWaitTime?: number;
            /** @description Whether its child was changed */
            subworkflowChanged?: boolean;
            executionMetadata?: {
                [key: string]: unknown;
            };
            /** @description Worker that has it or had it last */
            workerId?: string;
            /** @description Domain of its queue */
            domain?: string;
            /** @description Why it failed */
            reasonForIncompletion?: string;
            /** @description Id of its child */
            subWorkflowId?: string;
            /** @description Where a large input is kept */
            externalInputPayloadStoragePath?: string;
            /** @description Where a large output is kept */
            externalOutputPayloadStoragePath?: string;
            /** @description Values that its definition names, in answers to polls */
            runtimeMetadata?: {
                [key: string]: string;
            };
            /** @description Namespace of its queue */
            executionNameSpace?: string;
            /** @description Group of its queue */
            isolationGroupId?: string;
            workflowTask?: components["schemas"]["WorkflowTask"];
            taskDefinition: components["schemas"]["TaskDef"] | null;
        };
        /** TaskDef */
        TaskDef: {
            /** @description Task type that workers poll */
            name: string;
            /**
             * @description Automatic retries after a failure
             * @default 3
             */
            retryCount: number;
            /**
             * @description How the delay grows from retry to retry
             * @enum {string}
             */
            retryLogic?: "FIXED" | "EXPONENTIAL_BACKOFF" | "LINEAR_BACKOFF";
            /**
             * @description Delay before a retry
             * @default 60
             */
            retryDelaySeconds: number;
            /**
             * @description Factor of LINEAR_BACKOFF
             * @default 1
             */
            backoffScaleFactor: number;
            /**
             * @description Bound of the delay; 0 for none
             * @default 0
             */
            maxRetryDelaySeconds: number;
            /**
             * @description Random addition to the delay
             * @default 0
             */
            backoffJitterMs: number;
            /**
             * @description Longest run of one attempt; 0 for no bound
             * @default 0
             */
            timeoutSeconds: number;
            /**
             * @description What follows when an attempt times out
             * @enum {string}
             */
            timeoutPolicy?: "RETRY" | "TIME_OUT_WF" | "ALERT_ONLY";
            /**
             * @description Lease of a polled task; at least 1 for worker tasks
             * @default 3600
             */
            responseTimeoutSeconds: number;
            /**
             * @description Bound over all attempts; 0 for none
             * @default 0
             */
            totalTimeoutSeconds: number;
            /**
             * @description Most starts per window; 0 for no limit
             * @default 0
             */
            rateLimitPerFrequency: number;
            /**
             * @description Length of the window
             * @default 1
             */
            rateLimitFrequencyInSeconds: number;
            /** @description Names of expected input, for people */
            inputKeys?: string[];
            /** @description Names of expected output, for people */
            outputKeys?: string[];
            /** @description Input where the task has none of that name */
            inputTemplate?: {
                [key: string]: unknown;
            };
            /**
             * @description Whether the schemas are checked
             * @default false
             */
            enforceSchema: boolean;
            /**
             * @description Whether listeners are told of changes
             * @default true
             */
            taskStatusListenerEnabled: boolean;
            /** @description Names of values that are attached to a polled task */
            runtimeMetadata?: string[];
            /** @description For people */
            description?: string;
            /** @description Longest wait for a poll */
            pollTimeoutSeconds?: number;
            /** @description Most attempts that run at the same time; 0 for no limit */
            concurrentExecLimit?: number;
            /** @description Group of workers with a queue of its own */
            isolationGroupId?: string;
            /** @description Namespace of workers with a queue of its own */
            executionNameSpace?: string;
            /** @description Mail address of the owner */
            ownerEmail?: string;
            /** @description Parent type */
            baseType?: string;
            /** @description Whether using it in a workflow needs EXECUTE on it */
            restricted?: boolean;
            inputSchema?: components["schemas"]["SchemaDef"];
            outputSchema?: components["schemas"]["SchemaDef"];
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createTime?: number;
            /**
             * Format: int64
             * @description Epoch milliseconds; 0 until it is updated
             */
            updateTime?: number;
            /** @description Application that owns it */
            ownerApp?: string;
            /** @description Id of who created it */
            createdBy?: string;
            /** @description Id of who updated it last */
            updatedBy?: string;
            /** @description Tags of the name; shown with metadata=true */
            tags?: components["schemas"]["Tag"][];
            /**
             * @description Whether the given tags replace the old ones
             * @default false
             */
            overwriteTags: boolean;
        };
        /** TaskExecLog */
        TaskExecLog: {
            /** @description The line */
            log?: string;
            /** @description Id of the task */
            taskId?: string;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createdTime?: number;
        };
        /** TaskListSearchResult */
        TaskListSearchResult: {
            /** @description Tasks that fit */
            totalHits: number;
            results: components["schemas"]["Task"][];
            /** @description Tasks that fit by status */
            summary?: {
                [key: string]: number;
            };
        };
        /** TaskMock */
        TaskMock: {
            /**
             * @description How the attempt ends
             * @enum {string}
             */
            status?: "IN_PROGRESS" | "FAILED" | "FAILED_WITH_TERMINAL_ERROR" | "COMPLETED" | "CANCELED";
            output?: {
                [key: string]: unknown;
            };
            /** @description Milliseconds */
            executionTime?: number;
            /** @description Milliseconds */
            queueWaitTime?: number;
        };
        /** TaskPerformance */
        TaskPerformance: {
            /** @description Task type; empty for further queues */
            taskType: string;
            /** @description Domain; empty for none */
            domain: string;
            /** @description Tasks that went into the queue, again ones included */
            scheduled: number;
            /** @description Tasks that were handed to workers */
            handedOut: number;
            /** @description Tasks that completed */
            completed: number;
            /** @description Attempts that failed or timed out */
            failed: number;
            runMs?: components["schemas"]["Times"];
            waitMs?: components["schemas"]["Times"];
            trend: components["schemas"]["Trend"];
        };
        /** TaskResult */
        TaskResult: {
            /** @description Id of the execution */
            workflowInstanceId: string;
            /** @description Id of the task */
            taskId: string;
            /**
             * @description Needed unless only the lease is extended
             * @enum {string}
             */
            status?: "IN_PROGRESS" | "FAILED" | "FAILED_WITH_TERMINAL_ERROR" | "COMPLETED" | "CANCELED";
            outputData?: {
                [key: string]: unknown;
            };
            /** @description Why it failed; 500 characters are kept */
            reasonForIncompletion?: string;
            /** @description With IN_PROGRESS: when it can be polled again */
            callbackAfterSeconds?: number;
            /** @description Who reports */
            workerId?: string;
            /** @description Lines for the log; 10 are kept */
            logs?: components["schemas"]["TaskExecLog"][];
            /** @description Only extend the lease of the poll */
            extendLease?: boolean;
            /** @description Id of a child that the worker started */
            subWorkflowId?: string;
            /** @description Where a large output is kept */
            externalOutputPayloadStoragePath?: string;
            executionMetadata?: {
                [key: string]: unknown;
            };
        };
        /** TaskSummary */
        TaskSummary: {
            /** @description Id of the execution */
            workflowId: string;
            /** @description Name of the workflow definition */
            workflowType: string;
            /** @description Id of the task */
            taskId: string;
            /** @description Name of the task definition */
            taskDefName: string;
            /** @description Task type */
            taskType: string;
            /** @description Name within the workflow */
            referenceTaskName: string;
            /** @description The same under its other name */
            taskReferenceName: string;
            /** @description Correlation id of the execution */
            correlationId?: string;
            /**
             * Format: date-time
             * @description Such as 2025-10-09T08:53:20.000Z; 1970 when unset
             */
            scheduledTime: string;
            /**
             * Format: date-time
             * @description Such as 2025-10-09T08:53:20.000Z; 1970 when unset
             */
            startTime: string;
            /**
             * Format: date-time
             * @description Such as 2025-10-09T08:53:20.000Z; 1970 when unset
             */
            updateTime: string;
            /**
             * Format: date-time
             * @description Such as 2025-10-09T08:53:20.000Z; 1970 when unset
             */
            endTime: string;
            /** @enum {string} */
            status: "IN_PROGRESS" | "CANCELED" | "FAILED" | "FAILED_WITH_TERMINAL_ERROR" | "COMPLETED" | "COMPLETED_WITH_ERRORS" | "SCHEDULED" | "TIMED_OUT" | "SKIPPED";
            /** @description Why it failed */
            reasonForIncompletion?: string;
            /** @description Milliseconds; 0 until it has ended */
            executionTime: number;
            /** @description Milliseconds between schedule and start */
            queueWaitTime: number;
            /** @description JSON text */
            input: string;
            /** @description JSON text */
            output: string;
            /** @description Where a large output is kept */
            externalOutputPayloadStoragePath?: string;
            /** @description Priority of the execution */
            workflowPriority: number;
            /** @description Domain of its queue */
            domain?: string;
        };
        /** Times */
        Times: {
            /** @description Half of them took no longer; milliseconds, to an eighth */
            p50: number;
            /** @description 19 of 20 of them took no longer */
            p95: number;
            /** @description What the times come from */
            count: number;
        };
        /** Token */
        Token: {
            /** @description For the header X-Authorization */
            token: string;
        };
        /** TokenLimit */
        TokenLimit: {
            integrationName?: string;
            api: string;
            /** @description 0: any number */
            maxTokens?: number;
            /** @enum {string} */
            tokenLimitPeriod?: "DAY" | "WEEK" | "MONTH";
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createTime?: number;
            /**
             * Format: int64
             * @description Epoch milliseconds; 0 until it is updated
             */
            updateTime?: number;
            /** @description Id of who created it */
            createdBy?: string;
            /** @description Id of who updated it last */
            updatedBy?: string;
        };
        /** TokenRequest */
        TokenRequest: {
            /** @description Id of an access key */
            keyId?: string;
            /** @description Its secret */
            keySecret?: string;
            /** @description Id of a user, in place of a key */
            email?: string;
            /** @description Password of the user */
            password?: string;
            /** @description One-time or recovery code of a user with a second factor */
            code?: string;
            /** @description Life of the token in ms; negative: never expires */
            expiration?: number;
        };
        /** TokenUsageLog */
        TokenUsageLog: {
            integrationName: string;
            api: string;
            /**
             * Format: int64
             * @description First moment of the UTC day
             */
            periodStart: number;
            promptTokens: number;
            completionTokens: number;
            totalTokens: number;
        };
        /** Trend */
        Trend: {
            /** @description In each step */
            completed: number[];
            /** @description Failed or timed out, in each step */
            failed: number[];
        };
        /** TriedAction */
        TriedAction: {
            /** @enum {string} */
            action: "start_workflow" | "complete_task" | "fail_task" | "terminate_workflow" | "update_workflow_variables";
            /** @description The object of the action, resolved */
            payload: {
                [key: string]: unknown;
            };
            /** @description With what it would be refused */
            error?: string;
        };
        /** UpgradeWorkflowRequest */
        UpgradeWorkflowRequest: {
            /** @description Name of the definition */
            name: string;
            /** @description Version; absent for the latest */
            version?: number;
            /** @description Outputs of tasks that count as done, by reference name */
            taskOutput?: {
                [key: string]: {
                    [key: string]: unknown;
                };
            };
            /** @description Replaces the input of the execution */
            workflowInput?: {
                [key: string]: unknown;
            };
        };
        /** UpsertGroupRequest */
        UpsertGroupRequest: {
            /** @description For people */
            description: string;
            roles?: string | string[];
            /** @description Rights on what members create, by type */
            defaultAccess?: {
                [key: string]: ("CREATE" | "READ" | "EXECUTE" | "UPDATE" | "DELETE")[];
            };
            contactInformation?: {
                [key: string]: unknown;
            };
        };
        /** UpsertUserRequest */
        UpsertUserRequest: {
            /** @description Name to show */
            name: string;
            roles?: string | string[];
            groups?: string | string[];
            contactInformation?: {
                [key: string]: unknown;
            };
            /**
             * Format: password
             * @description Empty: it stays as it is; without one nobody signs in with it
             */
            password?: string;
        };
        /** UserFormReference */
        UserFormReference: {
            name: string;
            /** @description 0: the newest */
            version: number;
        };
        /** UserInfo */
        UserInfo: {
            /** @description Usually an e-mail address, in lower case */
            id: string;
            /** @description Name to show */
            name: string;
            roles: components["schemas"]["Role"][];
            groups: components["schemas"]["Group"][];
            /** @description Absent for applications */
            uuid?: string;
            contactInformation?: {
                [key: string]: unknown;
            };
            /** @description Whether it is an application, whose id is app:<id> */
            applicationUser: boolean;
            /** @description Always false */
            orkesWorkersApp?: boolean;
            /** @description Always false */
            orkesApiGateway?: boolean;
            /** @description Always false */
            orkesApp?: boolean;
            /** @description Always false */
            encryptedId?: boolean;
            /** @description The id */
            encryptedIdDisplayValue?: string;
            /** @description Always default */
            namespace?: string;
        };
        /** UserInfoWithClaims */
        UserInfoWithClaims: {
            user: components["schemas"]["UserInfo"];
            /** @description Of the token */
            claims: {
                [key: string]: unknown;
            };
        };
        /** UserSession */
        UserSession: {
            /** @description Id */
            id: string;
            /** @enum {string} */
            kind: "page" | "token";
            /** @description Of the client that signed in */
            address: string;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            startedAt: number;
            /**
             * Format: int64
             * @description When its token ends; absent: never
             */
            until?: number;
            /**
             * Format: int64
             * @description When it was used, as far as that is known
             */
            usedAt: number;
            /** @description Whether it is the one that asks */
            isOwn: boolean;
            /** @description Id of the user */
            person: string;
            /** @description Of the user */
            name: string;
        };
        /** ValidationError */
        ValidationError: {
            /** @description Operation, argument and field */
            path: string;
            /** @description The violated rule */
            message: string;
            /** @description The refused value, when it is no list and no object */
            invalidValue?: string;
        };
        /** Violation */
        Violation: {
            /** @enum {string} */
            kind: "record-unreadable" | "snapshot-missing" | "snapshot-count" | "snapshot-orphan" | "segment-orphan" | "index-missing" | "index-wrong" | "index-orphan" | "timer-missing" | "timer-late" | "timer-orphan" | "mark-missing" | "mark-orphan" | "load-mark-orphan" | "terminal-open-tasks" | "outbox-target" | "parent-disagrees" | "child-missing" | "child-end-lost" | "idempotency-orphan" | "queue-missing" | "queue-orphan" | "queue-twice" | "queue-unlisted" | "lease-missing" | "lease-end-missing" | "lease-end-orphan" | "limits-orphan" | "slot-missing" | "slot-orphan" | "limit-exceeded" | "place-missing" | "place-orphan" | "shard-unserved" | "owner-unreadable" | "node-lease-endless" | "node-unlisted" | "human-task-wrong" | "human-task-orphan" | "human-task-sets" | "dead-letter-unlisted" | "dead-letter-orphan" | "delivery-unlisted" | "delivery-orphan" | "delivery-unseen" | "schedule-cursor-orphan" | "schedule-run-unlisted" | "schedule-run-orphan" | "webhook-event-unlisted" | "webhook-event-orphan" | "webhook-wait-missing";
            /** @description The promise that it breaks */
            invariant: string;
            /** @description Id or name of what is wrong */
            subject: string;
            /** @description Keys of the store that disagree */
            keys: string[];
            sentence: string;
            /** @enum {string} */
            repair: "mended" | "asked" | "left" | "none" | "possible";
        };
        /** WaitReason */
        WaitReason: {
            /** @description What it waits for */
            kind: string;
            /** @description One sentence for people */
            reason: string;
            /** @description What would move it on */
            moves: string;
            /** @description Id of the task */
            taskId?: string;
            /** @description Name of the task within the workflow */
            referenceTaskName?: string;
            /**
             * Format: int64
             * @description When it moves on or is given up by itself, epoch milliseconds
             */
            untilTime?: number;
            /** @description Facts behind the sentence */
            data: {
                [key: string]: unknown;
            };
        };
        /** WebhookConfig */
        WebhookConfig: {
            name: string;
            /** @description Workflows whose waiting tasks receive the event: name to version */
            receiverWorkflowNamesToVersions?: {
                [key: string]: number | string;
            };
            /** @description Workflows to start: name to version; also idempotencyKey, idempotencyStrategy */
            workflowsToStart?: {
                [key: string]: unknown;
            };
            /** @description Script that gives both maps */
            expression?: string;
            /** @description javascript */
            evaluatorType?: string;
            /** @description Free text */
            sourcePlatform: string;
            /** @enum {string} */
            verifier: "SLACK_BASED" | "SIGNATURE_BASED" | "HEADER_BASED" | "STRIPE" | "TWITTER" | "HMAC_BASED" | "SENDGRID";
            /** @description Header that holds the signature */
            headerKey?: string;
            id: string;
            /** @description Headers that a call must carry, for HEADER_BASED */
            headers?: {
                [key: string]: string;
            };
            /** @description Public key, for SENDGRID */
            secretKey?: string;
            /**
             * Format: password
             * @description Masked in all answers but that of the creation
             */
            secretValue?: string;
            tags?: components["schemas"]["Tag"][];
            /** @description A call was verified */
            urlVerified: boolean;
            createdBy: string;
            /** @description Whose rights it acts with: who changed it last; absent: who created it */
            actsAs?: string;
            /** @description Newest first */
            webhookExecutionHistory: components["schemas"]["WebhookExecutionHistory"][];
        };
        /** WebhookConfigRequest */
        WebhookConfigRequest: {
            name: string;
            /** @description Workflows whose waiting tasks receive the event: name to version */
            receiverWorkflowNamesToVersions?: {
                [key: string]: number | string;
            };
            /** @description Workflows to start: name to version; also idempotencyKey, idempotencyStrategy */
            workflowsToStart?: {
                [key: string]: unknown;
            };
            /** @description Script that gives both maps */
            expression?: string;
            /** @description javascript */
            evaluatorType?: string;
            /** @description Free text */
            sourcePlatform: string;
            /** @enum {string} */
            verifier: "SLACK_BASED" | "SIGNATURE_BASED" | "HEADER_BASED" | "STRIPE" | "TWITTER" | "HMAC_BASED" | "SENDGRID";
            /** @description Header that holds the signature */
            headerKey?: string;
            /** @description Chosen by the caller, or drawn */
            id?: string;
            /** @description Headers that a call must carry, for HEADER_BASED */
            headers?: {
                [key: string]: string;
            };
            /** @description Public key, for SENDGRID */
            secretKey?: string;
            /**
             * Format: password
             * @description Masked in all answers but that of the creation
             */
            secretValue?: string;
            tags?: components["schemas"]["Tag"][];
        };
        /** WebhookExecutionHistory */
        WebhookExecutionHistory: {
            eventId: string;
            /** @description A task was completed or a workflow started */
            matched: boolean;
            workflowIds?: string[];
            /** @description JSON text of the call */
            payload: string;
            reasons?: string[];
            /**
             * Format: int64
             * @description Epoch ms
             */
            timeStamp: number;
        };
        /** WhyAnswer */
        WhyAnswer: {
            /** @description Id of the execution */
            workflowId: string;
            /** @enum {string} */
            status: "RUNNING" | "PAUSED" | "COMPLETED" | "FAILED" | "TIMED_OUT" | "TERMINATED";
            /** @description One sentence over all reasons */
            reason: string;
            /** @description Reasons of the execution, then of its open tasks */
            waitsFor: components["schemas"]["WaitReason"][];
            /** @description Open tasks beyond those */
            omitted: number;
            /**
             * Format: int64
             * @description When it moves by itself, epoch milliseconds; 0 for never
             */
            nextMoveTime: number;
        };
        /** WorkerQueue */
        WorkerQueue: {
            /** @description Task type */
            taskType: string;
            /** @description Domain; empty for none */
            domain: string;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            lastPollTime: number;
        };
        /** Workflow */
        Workflow: {
            /** @description Id of the execution */
            workflowId: string;
            /** @description Name of its definition */
            workflowName: string;
            /** @description Version of its definition */
            workflowVersion: number;
            /** @enum {string} */
            status: "RUNNING" | "PAUSED" | "COMPLETED" | "FAILED" | "TIMED_OUT" | "TERMINATED";
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createTime: number;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            startTime: number;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            updateTime: number;
            /**
             * Format: int64
             * @description Epoch milliseconds; 0 while it runs
             */
            endTime: number;
            /**
             * Format: int64
             * @description Epoch milliseconds; 0 when it never was
             */
            lastRetriedTime?: number;
            /** @description From 0 to 99 */
            priority?: number;
            /** @description Correlation id */
            correlationId?: string;
            /** @description Why it did not complete */
            reasonForIncompletion?: string;
            /** @description Execution that started it as a child */
            parentWorkflowId?: string;
            /** @description Task of the parent that started it */
            parentWorkflowTaskId?: string;
            /** @description Set when it was run again */
            reRunFromWorkflowId?: string;
            /** @description Event that started it */
            event?: string;
            /** @description Where a large input is kept */
            externalInputPayloadStoragePath?: string;
            /** @description Where a large output is kept */
            externalOutputPayloadStoragePath?: string;
            /** @description Key of its start */
            idempotencyKey?: string;
            /** @description Who started it */
            createdBy?: string;
            imported?: components["schemas"]["ImportedFrom"];
            /** @description Always empty */
            ownerApp?: string;
            /** @description Whether it waits for a rate limit */
            rateLimited?: boolean;
            /** @description Always empty */
            history?: {
                [key: string]: unknown;
            }[];
            /** @description Domains of its tasks */
            taskToDomain?: {
                [key: string]: string;
            };
            /** @description Reference names of failed tasks */
            failedReferenceTaskNames?: string[];
            /** @description Names of failed tasks */
            failedTaskNames?: string[];
            input: {
                [key: string]: unknown;
            };
            output: {
                [key: string]: unknown;
            };
            variables: {
                [key: string]: unknown;
            };
            /** @description Empty when the tasks were not asked for */
            tasks: components["schemas"]["Task"][];
            workflowDefinition: components["schemas"]["WorkflowDef"];
        };
        /** WorkflowCount */
        WorkflowCount: {
            /** @description Name of the definition */
            name: string;
            /** @description Executions */
            count: number;
        };
        /** WorkflowCounts */
        WorkflowCounts: {
            /** @description Executions that started */
            started: number;
            /** @description Executions that completed */
            completed: number;
            /** @description Executions that failed */
            failed: number;
            /** @description Executions that timed out */
            timedOut: number;
            /** @description Executions that were terminated */
            terminated: number;
        };
        /** WorkflowDef */
        WorkflowDef: {
            /** @description Name */
            name: string;
            /**
             * @description Version
             * @default 1
             */
            version: number;
            /** @description Names of expected input, for people */
            inputParameters?: string[];
            /** @description Output; texts may hold expressions */
            outputParameters?: {
                [key: string]: unknown;
            };
            /**
             * @description Always 2
             * @default 2
             */
            schemaVersion: number;
            /**
             * @description Whether a completed execution can be restarted
             * @default true
             */
            restartable: boolean;
            /**
             * @description Whether listeners are told of ends
             * @default false
             */
            workflowStatusListenerEnabled: boolean;
            /**
             * @description What follows when it times out
             * @enum {string}
             */
            timeoutPolicy?: "TIME_OUT_WF" | "ALERT_ONLY";
            /**
             * @description Longest run; 0 for no bound
             * @default 0
             */
            timeoutSeconds: number;
            /** @description Variables at the start */
            variables?: {
                [key: string]: unknown;
            };
            /** @description Input where a start has none of that name */
            inputTemplate?: {
                [key: string]: unknown;
            };
            /**
             * @description Whether the schemas are checked
             * @default true
             */
            enforceSchema: boolean;
            metadata?: {
                [key: string]: unknown;
            };
            /** @description Names of fields whose values are not shown */
            maskedFields?: string[];
            /** @description For people */
            description?: string;
            /** @description Workflow that is started when this one fails */
            failureWorkflow?: string;
            /** @description Version of the failure workflow; absent for the latest */
            failureWorkflowVersion?: number;
            /** @description Where events of status changes go */
            workflowStatusListenerSink?: string;
            /** @description Mail address of the owner */
            ownerEmail?: string;
            rateLimitConfig?: components["schemas"]["RateLimitConfig"];
            inputSchema?: components["schemas"]["SchemaDef"];
            outputSchema?: components["schemas"]["SchemaDef"];
            cacheConfig?: components["schemas"]["CacheConfig"];
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createTime?: number;
            /**
             * Format: int64
             * @description Epoch milliseconds; 0 until it is updated
             */
            updateTime?: number;
            /** @description Application that owns it */
            ownerApp?: string;
            /** @description Id of who created it */
            createdBy?: string;
            /** @description Id of who updated it last */
            updatedBy?: string;
            /** @description Tasks in order */
            tasks: components["schemas"]["WorkflowTask"][];
            /** @description Tags of the name; shown with metadata=true */
            tags?: components["schemas"]["Tag"][];
            /**
             * @description Whether the given tags replace the old ones
             * @default false
             */
            overwriteTags: boolean;
        };
        /** WorkflowDefSummary */
        WorkflowDefSummary: {
            /** @description Name */
            name: string;
            /** @description Version */
            version: number;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createTime: number;
            /**
             * Format: int64
             * @description Epoch milliseconds; 0 until it is updated
             */
            updateTime: number;
        };
        /** WorkflowFacets */
        WorkflowFacets: {
            /** @description Executions that fit */
            total: number;
            status: components["schemas"]["StatusCounts"];
            /** @description Most first, at most 100; only when asked for */
            workflowType?: components["schemas"]["WorkflowCount"][];
            /** @description Executions of workflows that are not listed; only with the list */
            otherTypes?: number;
        };
        /** WorkflowHead */
        WorkflowHead: {
            workflowId: string;
            workflowName: string;
            workflowVersion: number;
            /** @enum {string} */
            status: "RUNNING" | "PAUSED" | "COMPLETED" | "FAILED" | "TIMED_OUT" | "TERMINATED";
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            startTime: number;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            updateTime: number;
            /**
             * Format: int64
             * @description Epoch milliseconds; 0 while it runs
             */
            endTime: number;
            priority: number;
            /** @description Characters of its input, as JSON */
            inputChars: number;
            /** @description Characters of its output, as JSON */
            outputChars: number;
            /** @description Characters of its variables, as JSON */
            variablesChars: number;
            failedReferenceTaskNames: string[];
            correlationId?: string;
            parentWorkflowId?: string;
            createdBy?: string;
            event?: string;
            reasonForIncompletion?: string;
            /** @description Of the trace it belongs to: 32 hexadecimal digits */
            traceId?: string;
            /** @description The failure workflow that it started */
            failureWorkflowId?: string;
            /** @description The execution whose failure started this one */
            failedWorkflowId?: string;
            imported?: components["schemas"]["ImportedFrom"];
        };
        /** WorkflowOutline */
        WorkflowOutline: {
            head: components["schemas"]["WorkflowHead"];
            workflowDefinition: components["schemas"]["WorkflowDef"];
            /** @description Rises with every change */
            revision: number;
            tasks: components["schemas"]["OutlineTasks"];
        };
        /** WorkflowPerformance */
        WorkflowPerformance: {
            /** @description Name of the definition; empty for further ones */
            name: string;
            /** @description Executions that started */
            started: number;
            /** @description Executions that completed */
            completed: number;
            /** @description Executions that failed */
            failed: number;
            /** @description Executions that timed out */
            timedOut: number;
            /** @description Executions that were terminated */
            terminated: number;
            tookMs?: components["schemas"]["Times"];
            trend: components["schemas"]["Trend"];
        };
        /** WorkflowRateLimit */
        WorkflowRateLimit: {
            /** @description Executions are counted per value of it */
            rateLimitKey: string;
            /** @description Most executions at the same time */
            concurrentExecLimit: number;
            /**
             * @description What becomes of a start beyond the limit; default QUEUE
             * @enum {string}
             */
            policy?: "QUEUE" | "REJECT";
        };
        /** WorkflowRates */
        WorkflowRates: {
            /** @description Name of the definition; empty for further ones */
            name: string;
            /** @description Executions that started */
            started: number;
            /** @description Executions that completed */
            completed: number;
            /** @description Executions that failed */
            failed: number;
            /** @description Executions that timed out */
            timedOut: number;
            /** @description Executions that were terminated */
            terminated: number;
        };
        /** WorkflowSchedule */
        WorkflowSchedule: {
            name: string;
            cronSchedules: components["schemas"]["CronSchedule"][];
            /** @description Six fields: second minute hour day month weekday; used while cronSchedules is empty */
            cronExpression?: string;
            /** @description Of cronExpression: IANA name; UTC when absent */
            zoneId: string;
            startWorkflowRequest: {
                [key: string]: unknown;
            };
            /**
             * @description Due times that pass while no server runs are made up for
             * @default false
             */
            runCatchupScheduleInstances: boolean;
            /** @default false */
            paused: boolean;
            pausedReason?: string;
            /**
             * Format: int64
             * @description First moment that counts
             */
            scheduleStartTime?: number;
            /**
             * Format: int64
             * @description Last moment that counts
             */
            scheduleEndTime?: number;
            description?: string;
            tags?: components["schemas"]["Tag"][];
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            createTime: number;
            /**
             * Format: int64
             * @description Epoch milliseconds
             */
            updatedTime: number;
            createdBy: string;
            /** @description Whose rights it acts with: who changed it last; absent: who created it */
            actsAs?: string;
            updatedBy: string;
            /**
             * Format: int64
             * @description Absent when it is never due again
             */
            nextRunTime?: number;
        };
        /** WorkflowScheduleExecution */
        WorkflowScheduleExecution: {
            /** @description A UUID derived from the schedule, its cron entry and the due time */
            executionId: string;
            scheduleName: string;
            /**
             * Format: int64
             * @description When it was due, epoch ms
             */
            scheduledTime: number;
            /**
             * Format: int64
             * @description When it was dealt with, epoch ms
             */
            executionTime: number;
            workflowName: string;
            /** @description Absent when nothing was started */
            workflowId?: string;
            /** @description Why nothing was started, up to 999 characters */
            reason?: string;
            startWorkflowRequest: {
                [key: string]: unknown;
            };
            /** @enum {string} */
            state: "POLLED" | "FAILED" | "EXECUTED";
            zoneId: string;
        };
        /** WorkflowScheduleRequest */
        WorkflowScheduleRequest: {
            name: string;
            cronSchedules?: components["schemas"]["CronSchedule"][];
            /** @description Six fields: second minute hour day month weekday; used while cronSchedules is empty */
            cronExpression?: string;
            /** @description Of cronExpression: IANA name; UTC when absent */
            zoneId?: string;
            startWorkflowRequest: {
                [key: string]: unknown;
            };
            /**
             * @description Due times that pass while no server runs are made up for
             * @default false
             */
            runCatchupScheduleInstances: boolean;
            /** @default false */
            paused: boolean;
            pausedReason?: string;
            /**
             * Format: int64
             * @description First moment that counts
             */
            scheduleStartTime?: number;
            /**
             * Format: int64
             * @description Last moment that counts
             */
            scheduleEndTime?: number;
            description?: string;
            tags?: components["schemas"]["Tag"][];
        };
        /** WorkflowSize */
        WorkflowSize: {
            name: string;
            /** @description Running and finished ones */
            executions: number;
            /** @description Estimate of their memory in the store */
            bytes: number;
            /** @description Executions that the estimate looked at */
            sampled: number;
        };
        /** WorkflowSizes */
        WorkflowSizes: {
            /** @description Most bytes first */
            workflows: components["schemas"]["WorkflowSize"][];
        };
        /** WorkflowStateUpdate */
        WorkflowStateUpdate: {
            /** @description The task that the result is for */
            taskReferenceName?: string;
            taskResult?: components["schemas"]["StateTaskResult"];
            /** @description Merged into the variables */
            variables?: {
                [key: string]: unknown;
            };
        };
        /** WorkflowStats */
        WorkflowStats: {
            /** @description Name of the definition */
            name: string;
            counts: components["schemas"]["StatusCounts"];
            /** @description Half of the sampled executions took no longer; absent without any */
            p50Ms?: number;
            /** @description 19 of 20 of the sampled executions took no longer */
            p95Ms?: number;
            /** @description Newest completed executions that the times come from */
            sampled: number;
        };
        /** WorkflowStatus */
        WorkflowStatus: {
            /** @description Id of the execution */
            workflowId: string;
            /** @description Correlation id */
            correlationId?: string;
            /** @enum {string} */
            status: "RUNNING" | "PAUSED" | "COMPLETED" | "FAILED" | "TIMED_OUT" | "TERMINATED";
            output?: {
                [key: string]: unknown;
            };
            variables?: {
                [key: string]: unknown;
            };
        };
        /** WorkflowSummary */
        WorkflowSummary: {
            /** @description Name of the definition */
            workflowType: string;
            /** @description Version of the definition */
            version: number;
            /** @description Id of the execution */
            workflowId: string;
            /** @description Correlation id */
            correlationId?: string;
            /**
             * Format: date-time
             * @description Such as 2025-10-09T08:53:20.000Z; 1970 when unset
             */
            startTime: string;
            /**
             * Format: date-time
             * @description Such as 2025-10-09T08:53:20.000Z; 1970 when unset
             */
            updateTime: string;
            /**
             * Format: date-time
             * @description Such as 2025-10-09T08:53:20.000Z; absent while it runs
             */
            endTime?: string;
            /** @enum {string} */
            status: "RUNNING" | "PAUSED" | "COMPLETED" | "FAILED" | "TIMED_OUT" | "TERMINATED";
            /** @description JSON text; absent without payloads */
            input?: string;
            /** @description JSON text; absent without payloads */
            output?: string;
            /** @description Characters of the input; absent without payloads */
            inputSize?: number;
            /** @description Characters of the output; absent without payloads */
            outputSize?: number;
            /** @description Milliseconds; 0 while it runs */
            executionTime: number;
            /** @description Why it did not complete */
            reasonForIncompletion?: string;
            /** @description Event that started it */
            event?: string;
            /** @description Who started it */
            createdBy?: string;
            /** @description Key of its start */
            idempotencyKey?: string;
            /** @description Reference names of failed tasks, with commas between */
            failedReferenceTaskNames: string;
            /** @description Names of failed tasks */
            failedTaskNames: string[];
            /** @description Where a large input is kept */
            externalInputPayloadStoragePath?: string;
            /** @description From 0 to 99 */
            priority: number;
            /** @description Domains of its tasks */
            taskToDomain: {
                [key: string]: string;
            };
            /** @description Execution that started it as a child; empty for none */
            parentWorkflowId: string;
            /**
             * @description What the definition describes
             * @enum {string}
             */
            classifier: "workflow" | "agent";
            imported?: components["schemas"]["ImportedFrom"];
        };
        /** WorkflowSummaryPage */
        WorkflowSummaryPage: {
            /** @description Records that fit */
            totalHits: number;
            results: components["schemas"]["WorkflowSummary"][];
            /** @description Where the next page begins; only when `cursor` was given and more executions follow */
            nextCursor?: string;
            /** @description Fields of the query that do not exist, whose conditions were ignored; only when there are any */
            ignoredFields?: string[];
        };
        /** WorkflowTask */
        WorkflowTask: {
            /** @description Name of the task definition */
            name: string;
            /** @description Name within the workflow */
            taskReferenceName: string;
            /** @description Input; texts may hold expressions */
            inputParameters?: {
                [key: string]: unknown;
            };
            /**
             * @description Task type
             * @default SIMPLE
             */
            type: string;
            /** @description Branches by case */
            decisionCases?: {
                [key: string]: components["schemas"]["WorkflowTask"][];
            };
            /** @description Branch when no case fits */
            defaultCase?: components["schemas"]["WorkflowTask"][];
            /** @description Branches of FORK_JOIN */
            forkTasks?: components["schemas"]["WorkflowTask"][][];
            /** @description JOIN: reference names that it waits for */
            joinOn?: string[];
            /** @description EXCLUSIVE_JOIN: whose output counts by default */
            defaultExclusiveJoinTask?: string[];
            /** @description DO_WHILE: tasks of one iteration */
            loopOver?: components["schemas"]["WorkflowTask"][];
            /**
             * @description Seconds before it can be polled
             * @default 0
             */
            startDelay: number;
            /**
             * @description Whether the workflow goes on when it fails
             * @default false
             */
            optional: boolean;
            /**
             * @description Whether its branch goes on when it fails
             * @default false
             */
            permissive: boolean;
            /**
             * @description Whether it is completed from outside
             * @default false
             */
            asyncComplete: boolean;
            /** @description Events by state changes */
            onStateChange?: {
                [key: string]: components["schemas"]["StateChangeEvent"][];
            };
            metadata?: {
                [key: string]: unknown;
            };
            /** @description For people */
            description?: string;
            /** @description DYNAMIC: input parameter with the name of the task to run */
            dynamicTaskNameParam?: string;
            /** @description DECISION: input parameter that chooses the case */
            caseValueParam?: string;
            /** @description DECISION: script that chooses the case */
            caseExpression?: string;
            /** @description LAMBDA: script */
            scriptExpression?: string;
            /** @description Language of `expression` */
            evaluatorType?: string;
            /** @description Expression of SWITCH and INLINE */
            expression?: string;
            /** @description FORK_JOIN_DYNAMIC: input parameter with tasks and input */
            dynamicForkJoinTasksParam?: string;
            /** @description FORK_JOIN_DYNAMIC: input parameter with the tasks */
            dynamicForkTasksParam?: string;
            /** @description FORK_JOIN_DYNAMIC: input parameter with their input */
            dynamicForkTasksInputParamName?: string;
            /** @description JOIN: script that decides when it is complete */
            joinStatus?: string;
            /**
             * @description JOIN: when it is evaluated
             * @enum {string}
             */
            joinMode?: "SYNC" | "ASYNC";
            /** @description DO_WHILE: condition for one more iteration */
            loopCondition?: string;
            /** @description DO_WHILE: list to iterate over, or an expression */
            items?: unknown;
            subWorkflowParam?: components["schemas"]["SubWorkflowParams"];
            /** @description EVENT: where the event goes */
            sink?: string;
            /** @description Whether the rate limit of its definition counts */
            rateLimited?: boolean;
            /** @description Automatic retries, in place of those of its definition */
            retryCount?: number;
            taskDefinition?: components["schemas"]["TaskDef"] | null;
            cacheConfig?: components["schemas"]["CacheConfig"];
        };
        /** WorkflowTestRequest */
        WorkflowTestRequest: {
            /** @description Name of the definition */
            name: string;
            /** @description Version; absent for the latest */
            version?: number;
            /** @description Correlation id */
            correlationId?: string;
            input?: {
                [key: string]: unknown;
            };
            /** @description Domains by task type; `*` for all types */
            taskToDomain?: {
                [key: string]: string;
            };
            workflowDef?: components["schemas"]["WorkflowDef"];
            /** @description Where a large input is kept, in place of an input */
            externalInputPayloadStoragePath?: string;
            /**
             * @description Priority
             * @default 0
             */
            priority: number;
            /** @description Counts while authentication is off */
            createdBy?: string;
            /** @description Starts with one key are one start */
            idempotencyKey?: string;
            /**
             * @description What an execution with that key means
             * @enum {string}
             */
            idempotencyStrategy?: "FAIL" | "RETURN_EXISTING" | "FAIL_ON_RUNNING";
            /** @description Mocked attempts by reference name */
            taskRefToMockOutput?: {
                [key: string]: components["schemas"]["TaskMock"][];
            };
            /** @description Mocks of children by reference name */
            subWorkflowTestRequest?: {
                [key: string]: components["schemas"]["WorkflowTestRequest"];
            };
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
